// The run-time of an operation over time, as every synchronisation shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/clocks/clock_csv.hpp"
#include "analysis/clocks/clock_means.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

struct RunTimeBin {
  double seconds = 0;  // median over its repetitions, since the experiment began
  // The same since the last synchronisation of its clocks; none after a barrier, which needs none.
  std::optional<double> since_sync_s = {};
  std::size_t repetitions = 0;
  std::size_t left_out = 0;  // a rank was late, or past its window
  // As the synchronisation shows it: local after a barrier, else global by its own clocks.
  double q1_ns = 0, median_ns = 0, q3_ns = 0;
  double local_ns = 0;  // medians of the other times beside it
  std::optional<double> global_ns = {};
  std::optional<double> true_ns = {};  // by the real clock, where all ranks read one
  // Means of the shown times, and of both kinds; quantiles are those of all launches' repetitions.
  std::optional<PooledMean> mean = {}, local_mean = {}, global_mean = {};
};

// A bin in which no repetition counted, and what became of those that were made.
struct EmptyBin {
  std::size_t number = 0;
  std::size_t late = 0;         // a rank started after the agreed time
  std::size_t past_window = 0;  // in time, but longer than their window
  std::size_t no_global = 0;    // no global time, where that is shown
};
std::string why_empty(const EmptyBin& bin);

struct RunTimeSeries {
  std::string sync = {};
  bool local = false;                   // its run-times are local ones: no clock model is in them
  std::optional<double> window_s = {};  // length of its windows; none: they adapt, or a barrier
  std::string global_by = {};           // whose clocks its global times are of; empty: not known
  std::size_t launches = 0;
  std::vector<std::optional<RunTimeBin>> bins = {};  // none: no repetition counted
  std::vector<EmptyBin> empty = {};                  // those bins, ascending
  // By how much the bins' medians grow: after a barrier as they are, which is what the machine
  // itself does; else beyond what local times after MPI_Barrier do in the same bins (a control in
  // the regression). None with fewer than three bins, four beside a control. Of several launches:
  // the mean of their slopes. The interval holds for all series together (Bonferroni).
  std::optional<double> slope_ns_per_s = {};
  std::optional<stats::Interval> interval = {};

  // Longer and longer: clocks that drift apart, either way, only make run-times longer. Local times
  // cannot.
  [[nodiscard]] bool drifts() const { return !local && interval && interval->low > 0; }
};

// In the order of the engine. `bins`: as many as were asked for; throws UserError for others.
std::vector<RunTimeSeries> read_run_times(const ClockCsv& table, std::uint32_t bins);

// "Drifting: skampi by +13.0 us a second [12.9, 13.1]. Not: mesh. MPI_Barrier's local times, which
// need no clocks, meanwhile by +0.10: mpich 4.0.2, 2 ranks."
std::string drift_sentence(const std::vector<RunTimeSeries>& series, const std::string& scope);

}  // namespace invar::analysis
