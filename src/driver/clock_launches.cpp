// The launches of an experiment with clocks, one after the other, and what of them is left out.
#include <algorithm>
#include <exception>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "driver/clock_run.hpp"

namespace invar::driver {
namespace {

// In one line, and no more of what a launcher wrote than somebody reads.
std::string failure_words(const std::exception& error) {
  constexpr std::size_t kMost = 300;
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > kMost) text = text.substr(0, kMost) + " ...";
  return text;
}

// What is asked makes no sense, now and later.
bool is_refused(const std::exception& error) {
  const auto* command = dynamic_cast<const base::CommandError*>(&error);
  return command != nullptr && command->status() == base::Exit::kUsage;
}

// Goes on with the next launch where one fails.
class ClockLaunches {
 public:
  ClockLaunches(const ClockRun& run, const ClockListener& listener,
                const MeasureClockLaunch& measure)
      : run_(run), listener_(listener), measure_(measure) {}

  std::vector<store::FailedClockLaunch> run() {
    for (std::uint32_t launch = 1; launch <= run_.spec.launches; ++launch) {
      for (const ClockPlace& place : run_.places) {
        if (in_a_row_ < kMostInARow) {
          one(launch, place);
        } else {
          ++not_started_;
        }
      }
    }
    if (any_) tell_not_started();
    if (!any_ && last_) std::rethrow_exception(last_);
    return failed_;
  }

 private:
  static constexpr int kMostInARow = 2;

  void one(std::uint32_t launch, const ClockPlace& place) {
    record::ClockSpec spec = run_.spec;
    // Orders that are drawn are drawn anew.
    spec.virtual_clocks.seed += launch - 1;
    std::string rows;
    try {
      rows = twice(launch, place, spec);
    } catch (const std::exception& error) {
      last_ = std::current_exception();
      ++in_a_row_;
      failed_.push_back({.launch = launch, .ranks = place.ranks, .what = failure_words(error)});
      // What makes no sense now will make none later.
      if (!any_ && is_refused(error)) throw;
      return;
    }
    std::vector<record::AddedColumn> added;
    if (run_.places.size() > 1) added.push_back({record::kAddedColumns[0].name, place.ranks});
    if (run_.spec.launches > 1) added.push_back({record::kAddedColumns[1].name, launch});
    listener_.add(record::with_added_columns(rows, added, !any_));
    any_ = true;
    in_a_row_ = 0;
  }

  std::string twice(std::uint32_t launch, const ClockPlace& place, const record::ClockSpec& spec) {
    try {
      return measure_(place, spec);
    } catch (const std::exception& error) {
      if (is_refused(error)) throw;
      listener_.warn(
          store::failed_text({.launch = launch,
                              .ranks = place.ranks,
                              .what = failure_words(error) + "; it is started once more"}));
    }
    return measure_(place, spec);
  }

  void tell_not_started() {
    if (not_started_ == 0) return;
    failed_.back().what += "; " + base::count_text(not_started_, "launch") +
                           " after it, because two failed in a row, " +
                           (not_started_ == 1 ? "was" : "were") + " not started";
  }

  const ClockRun& run_;
  const ClockListener& listener_;
  const MeasureClockLaunch& measure_;
  std::vector<store::FailedClockLaunch> failed_ = {};
  std::exception_ptr last_ = {};
  bool any_ = false;
  int in_a_row_ = 0;
  std::uint64_t not_started_ = 0;
};

}  // namespace

std::vector<store::FailedClockLaunch> run_clocks(const ClockRun& run, const ClockListener& listener,
                                                 const MeasureClockLaunch& measure) {
  return ClockLaunches(run, listener, measure).run();
}

}  // namespace invar::driver
