// The tables of `invar clocks` as text and CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clocksim/accuracy.hpp"

namespace invar::cli {

// What every row of CSV repeats, so that a file says what it is.
struct ClockContext {
  std::string link = "simulated";  // or the library
  std::string network = {};
  int ranks = 0;
  int ranks_per_host = 1;
};

std::string clock_lists_text();
std::string clock_lists_csv();
std::string accuracy_text(const std::vector<clocksim::AccuracyRow>& rows,
                          const ClockContext& context);
std::string accuracy_csv(const std::vector<clocksim::AccuracyRow>& rows,
                         const ClockContext& context, bool header);
std::string pareto_text(const std::vector<clocksim::ParetoRow>& rows, const ClockContext& context,
                        double after_s);
std::string pareto_csv(const std::vector<clocksim::ParetoRow>& rows, const ClockContext& context);

struct ScalingRow {
  int ranks = 0;
  clocksim::AccuracyRow row = {};
};
std::string scaling_text(const std::vector<ScalingRow>& rows, const ClockContext& context);

struct TrackingRow {
  double seconds = 0;  // since the first synchronisation
  std::size_t machines = 1;
  clocksim::Spread untracked_ns = {}, predicted_ns = {}, smoothed_ns = {};
};
std::string tracking_text(const std::vector<TrackingRow>& rows, const ClockContext& context);
// tracking_share: what tracking takes of the time; none: not measured.
std::string tracking_csv(const std::vector<TrackingRow>& rows, const ClockContext& context,
                         std::optional<double> tracking_share);

// The worst rank's errors over time, at equal distances.
struct TrackingErrors {
  double step_s = 0.01;
  std::vector<double> untracked_ns, predicted_ns, smoothed_ns;
};
// In six parts of the time, over all machines; those have equally many errors.
std::vector<TrackingRow> tracking_rows(const std::vector<TrackingErrors>& machines);

}  // namespace invar::cli
