// accuracy and tracking on a real MPI library.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/clocks/clock_accuracy.hpp"
#include "base/units.hpp"
#include "cli/clocks/clocks_library.hpp"
#include "driver/clock_run.hpp"

namespace invar::cli {
namespace {

// Largest and median error over the ranks of every synchronisation.
std::vector<clocksim::AccuracyRow> rows_of(const std::vector<analysis::ClockError>& found,
                                           const std::vector<double>& after_s) {
  std::vector<std::string> names;
  std::map<std::string, std::map<std::uint32_t, clocksim::Trial>> trials;
  std::map<std::pair<const clocksim::Trial*, double>, std::vector<double>> errors;
  for (const analysis::ClockError& one : found) {
    if (!trials.contains(one.algorithm)) names.push_back(one.algorithm);
    clocksim::Trial& trial = trials[one.algorithm][one.repetition];
    trial.seconds = one.seconds;
    if (one.rank > 0) errors[{&trial, one.after_s}].push_back(std::abs(one.error_ns));
  }
  std::vector<clocksim::AccuracyRow> rows;
  for (const std::string& name : names) {
    std::vector<clocksim::Trial> all;
    for (auto& [repetition, trial] : trials[name]) {
      for (const double after : after_s) {
        const clocksim::Spread spread = clocksim::spread_of(errors.at({&trial, after}));
        trial.worst_ns.push_back(spread.most);
        trial.typical_ns.push_back(spread.median);
      }
      all.push_back(trial);
    }
    for (clocksim::AccuracyRow& row : clocksim::rows_of(name, after_s, all)) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// What the errors are known by.
std::string truth_text(const ClockWords& words, double half_width_ns) {
  if (half_width_ns > 0) {
    return "errors measured by ping-pongs to within " + base::duration_text(half_width_ns);
  }
  return words.virtual_skew.empty()
             ? "one real clock that all ranks read, so errors are exact, and "
               "algorithms without a skew cannot drift (--virtual-skew 13e-6 "
               "makes clocks that do)"
             : "virtual clocks on one real clock, so errors are exact";
}

template <typename Errors>
double most(const Errors& errors, double Errors::value_type::*member) {
  double value = 0;
  for (const auto& one : errors) value = std::max(value, one.*member);
  return value;
}

driver::ClockOrder order_of(const ClockWords& words, const ClockOptions& options,
                            const char* experiment) {
  driver::ClockOrder order{.library = words.library};
  order.ranks = words.ranks.empty() ? 0 : static_cast<std::uint32_t>(options.machine.ranks);
  order.spec.experiment = experiment;
  order.spec.clock = words.clock;
  order.spec.interval_s = options.interval_s;
  if (!words.virtual_skew.empty()) {
    order.spec.virtual_clocks.skew = {options.machine.network.skew};
  }
  return order;
}

std::string tracking_cost_text(double share, double interval_s) {
  return fmt::format("\ntracking every {:g} s takes {:.2g} % of the time\n", interval_s,
                     100 * share);
}

}  // namespace

int run_library_accuracy(const ClockWords& words) {
  const ClockOptions options = parse_clock_options(words);
  driver::ClockOrder order = order_of(words, options, "accuracy");
  for (const clock::Settings& settings : filling(options.algorithms, options.duration_s)) {
    order.spec.algorithms.push_back(settings.text());
  }
  order.spec.after_s = options.after_s;
  order.spec.repetitions = static_cast<std::uint32_t>(options.seeds);
  const driver::ClockRun run = driver::run_clocks(order);
  const auto errors = analysis::read_clock_errors(run.csv);
  const ClockContext context{run.library,
                             truth_text(words, most(errors, &analysis::ClockError::half_width_ns)),
                             static_cast<int>(run.ranks), 1};
  const auto rows = rows_of(errors, options.after_s);
  if (options.csv) {
    fmt::print("{}", accuracy_csv(rows, context, true));
    return 0;
  }
  fmt::print("{}", accuracy_text(rows, context));
  const double share = most(errors, &analysis::ClockError::tracking_share);
  if (share > 0) fmt::print("{}", tracking_cost_text(share, options.interval_s));
  return 0;
}

int run_library_tracking(const ClockWords& words) {
  const ClockOptions options = parse_clock_options(words);
  const clock::Settings& mesh = options.algorithms.front();
  driver::ClockOrder order = order_of(words, options, "tracking");
  order.spec.algorithms = {mesh.text()};
  order.spec.duration_s = options.duration_s;
  const driver::ClockRun run = driver::run_clocks(order);
  const auto errors = analysis::read_tracked_errors(run.csv);
  TrackingErrors series;
  if (errors.size() > 1) series.step_s = errors[1].seconds - errors[0].seconds;
  for (const analysis::TrackedError& one : errors) {
    series.untracked_ns.push_back(one.untracked_ns);
    series.predicted_ns.push_back(one.predicted_ns);
    series.smoothed_ns.push_back(one.smoothed_ns);
  }
  const double share = most(errors, &analysis::TrackedError::tracking_share);
  const ClockContext context{
      run.library, truth_text(words, most(errors, &analysis::TrackedError::half_width_ns)),
      static_cast<int>(run.ranks), 1};
  const auto rows = tracking_rows({series});
  fmt::print("{}", options.csv ? tracking_csv(rows, context, share)
                               : tracking_text(rows, context) +
                                     tracking_cost_text(share, options.interval_s));
  return 0;
}

}  // namespace invar::cli
