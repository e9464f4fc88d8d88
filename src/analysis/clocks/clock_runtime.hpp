// The run-time of an operation over time, as every synchronisation shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/clocks/clock_csv.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

struct RunTimeBin {
  double seconds = 0;  // median over its repetitions, since the begin of the experiment
  // The same since the last synchronisation of its clocks; none after a barrier, which needs none.
  std::optional<double> since_sync_s = {};
  std::size_t repetitions = 0;
  std::size_t left_out = 0;  // a rank was late, or past its window
  // As the synchronisation shows it: local after a barrier, else global by its own clocks.
  double q1_ns = 0, median_ns = 0, q3_ns = 0;
  double local_ns = 0;  // medians of the other times beside it
  std::optional<double> global_ns = {};
  std::optional<double> true_ns = {};  // by the real clock, where all ranks read one
};

struct RunTimeSeries {
  std::string sync = {};
  bool local = false;                                // its run-times are local ones
  std::vector<std::optional<RunTimeBin>> bins = {};  // none: no repetition counted
  // The slope of a line through the bins' medians; none with fewer than three. The interval holds
  // for all series together (Bonferroni).
  std::optional<double> slope_ns_per_s = {};
  std::optional<stats::Interval> interval = {};

  // Longer and longer: clocks that drift apart, either way, only make run-times longer. Shorter
  // ones are the machine's own change.
  [[nodiscard]] bool drifts() const { return interval && interval->low > 0; }
};

// In the order of the engine. `bins`: as many as were asked for; throws UserError for others.
std::vector<RunTimeSeries> read_run_times(const ClockCsv& table, std::uint32_t bins);

// "Drifting: skampi by +13.0 us a second [12.9, 13.1]. Not: mesh: mpich 4.0.2, 2 ranks."
std::string drift_sentence(const std::vector<RunTimeSeries>& series, const std::string& scope);

}  // namespace invar::analysis
