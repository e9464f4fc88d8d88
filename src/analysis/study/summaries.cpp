#include "analysis/study/summaries.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/study/batches.hpp"
#include "base/error.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/describe/series.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kFewestForThirds = 9;

// Reused from visit to visit.
struct SummaryScratch {
  std::vector<double> values;
  std::vector<double> work;
};

double third_median(std::span<const double> third, double step_ns, std::vector<double>& work) {
  work.assign(third.begin(), third.end());
  return stats::grouped_median_in_place(work, step_ns);
}

std::optional<double> burn_in_log(std::span<const double> values, double step_ns,
                                  std::vector<double>& work) {
  if (values.size() < kFewestForThirds) return std::nullopt;
  const std::size_t third = values.size() / 3;
  const double first = third_median(values.first(third), step_ns, work);
  const double last = third_median(values.last(third), step_ns, work);
  if (!(first > 0 && last > 0)) return std::nullopt;
  return std::log(first / last);
}

void describe(VisitSummary& summary, SummaryScratch& scratch) {
  summary.observations = static_cast<std::uint32_t>(scratch.values.size());
  summary.burn_in_log = burn_in_log(scratch.values, summary.step_ns, scratch.work);
  const auto [least, most] = std::minmax_element(scratch.values.begin(), scratch.values.end());
  summary.within_one_step = *most - *least <= 0.5 * summary.step_ns;
  summary.effective_count =
      summary.within_one_step ? 1.0 : stats::effective_sample_size(scratch.values);
  summary.median_ns =
      std::max(0.0, stats::grouped_median_in_place(scratch.values, summary.step_ns));
}

void count_empty(std::vector<EmptyVisits>& empty, std::uint32_t arm, std::uint32_t cell) {
  const auto known = std::find_if(empty.begin(), empty.end(), [&](const EmptyVisits& entry) {
    return entry.arm == arm && entry.cell == cell;
  });
  if (known == empty.end()) {
    empty.push_back({.arm = arm, .cell = cell, .visits = 1});
  } else {
    ++known->visits;
  }
}

VisitSummary summary_place(const store::Data& data, const store::Launch& launch,
                           const store::Visit& visit) {
  VisitSummary summary;
  summary.group = launch.group;
  summary.launch = launch.launch;
  summary.arm = launch.arm;
  summary.cell = cell_index(data, visit.line.cell);
  summary.round = visit.line.round;
  summary.block = visit.line.block;
  summary.source = &visit;
  summary.step_ns = data.clock_step_ns / std::max(1U, visit.line.calls);
  if (const auto printed = launch.printed_step_ns.find(visit.line.cell);
      printed != launch.printed_step_ns.end()) {
    summary.step_ns = printed->second;
  }
  if (!visit.line.canary_ps.empty()) {
    summary.canary_ns = static_cast<double>(std::ranges::max(visit.line.canary_ps)) * 1e-3;
  }
  return summary;
}

Summaries pass(const store::Data& data, bool global) {
  Summaries result;
  result.global = global;
  result.arms.resize(data.arms.size());
  std::size_t visits = 0;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) visits += launch.visits.size();
  }
  result.visits.reserve(visits);
  SummaryScratch scratch;
  const Batches batches(data);
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      Tally& tally = result.arms.at(launch.arm);
      for (const store::Visit& visit : launch.visits) {
        if (!batches.keeps(visit)) continue;
        VisitSummary summary = summary_place(data, launch, visit);
        ++tally.visits;
        tally.capped_visits += visit.line.retry_cap_reached ? 1U : 0U;
        scratch.values.clear();
        append_observations(visit, global, scratch.values, tally);
        if (scratch.values.empty()) {
          count_empty(result.empty, summary.arm, summary.cell);
          continue;
        }
        describe(summary, scratch);
        result.visits.push_back(summary);
      }
    }
  }
  return result;
}

}  // namespace

bool lacks_global_times(const Summaries& global) {
  const bool left_out =
      std::ranges::any_of(global.arms, [](const Tally& tally) { return tally.global_invalid > 0; });
  return left_out && !global.empty.empty();
}

Tally& Tally::operator+=(const Tally& other) {
  kept += other.kept;
  warm_up += other.warm_up;
  late += other.late;
  past_window += other.past_window;
  global_invalid += other.global_invalid;
  interrupted += other.interrupted;
  oversubscribed += other.oversubscribed;
  visits += other.visits;
  capped_visits += other.capped_visits;
  return *this;
}

void append_observations(const store::Visit& visit, bool global, std::vector<double>& values_ns,
                         Tally& tally) {
  const std::size_t before = values_ns.size();
  for (const record::Timing& timing : visit.records) {
    const unsigned flags = timing.flags;
    if ((flags & record::kLeftOut) != 0) {
      tally.warm_up += (flags & record::kWarmUp) != 0 ? 1U : 0U;
      tally.late += (flags & (record::kLate | record::kWarmUp)) == record::kLate ? 1U : 0U;
      tally.past_window += (flags & record::kLeftOut) == record::kPastWindow ? 1U : 0U;
      continue;
    }
    if (global && (flags & record::kGlobalInvalid) != 0) {
      ++tally.global_invalid;
      continue;
    }
    tally.interrupted += (flags & record::kInterrupted) != 0 ? 1U : 0U;
    tally.oversubscribed += (flags & record::kOversubscribed) != 0 ? 1U : 0U;
    values_ns.push_back(static_cast<double>(run_time_ps(timing, global)) * 1e-3);
  }
  tally.kept += values_ns.size() - before;
}

std::uint32_t cell_index(const store::Data& data, std::uint32_t id) {
  if (id < data.cells.size() && data.cells[id].id == id) return id;
  const auto found = std::ranges::find(data.cells, id, &record::Cell::id);
  if (found == data.cells.end()) {
    throw base::CommandError(
        base::Exit::kDamaged,
        {{.place = data.dir.string(),
          .what = "a visit names cell " + std::to_string(id) + ", which no plan has"}});
  }
  return static_cast<std::uint32_t>(found - data.cells.begin());
}

Summaries summarize_visits(const store::Data& data, Runtime runtime, bool agreed_start) {
  const bool global = runtime == Runtime::kGlobal || (runtime == Runtime::kAuto && agreed_start);
  Summaries result = pass(data, global);
  if (runtime == Runtime::kAuto && global && lacks_global_times(result)) {
    result = pass(data, false);
    result.global_refused = true;
  }
  return result;
}

}  // namespace invar::analysis
