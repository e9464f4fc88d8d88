#include "analysis/clocks/clock_accuracy.hpp"

#include "analysis/clocks/clock_csv.hpp"

namespace invar::analysis {

std::vector<ClockError> read_clock_errors(std::string_view csv) {
  const ClockCsv table(
      csv, "algorithm,repetition,seconds,after_s,rank,error_ns,half_width_ns,tracking_share");
  std::vector<ClockError> errors;
  for (std::size_t i = 0; i < table.size(); ++i) {
    errors.push_back({.algorithm = table.word(i, 0),
                      .repetition = static_cast<std::uint32_t>(table.number(i, 1)),
                      .seconds = table.number(i, 2),
                      .after_s = table.number(i, 3),
                      .rank = static_cast<std::uint32_t>(table.number(i, 4)),
                      .error_ns = table.number(i, 5),
                      .half_width_ns = table.number(i, 6),
                      .tracking_share = table.number(i, 7)});
  }
  return errors;
}

std::vector<TrackedError> read_tracked_errors(std::string_view csv) {
  const ClockCsv table(
      csv, "seconds,untracked_ns,predicted_ns,smoothed_ns,sigma_ns,half_width_ns,tracking_share");
  std::vector<TrackedError> errors;
  for (std::size_t i = 0; i < table.size(); ++i) {
    errors.push_back({table.number(i, 0), table.number(i, 1), table.number(i, 2),
                      table.number(i, 3), table.number(i, 4), table.number(i, 5),
                      table.number(i, 6)});
  }
  return errors;
}

}  // namespace invar::analysis
