// How far apart ranks leave a barrier.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/clocks/clock_csv.hpp"
#include "analysis/clocks/clock_means.hpp"

namespace invar::analysis {

struct BarrierQuantiles {
  double q1_ns = 0, median_ns = 0, q3_ns = 0;
  // With fewer than 20 and 100 values they are the largest one.
  std::optional<double> p95_ns = {}, p99_ns = {};
};

struct BarrierRow {
  std::string method = {};
  std::size_t repetitions = 0;  // that count
  std::size_t left_out = 0;     // a rank was late, or past its window
  double entry_skew_ns = 0;     // median
  BarrierQuantiles exit_ns = {};
  double time_ns = 0;  // median, from the last entry to the last exit
  // Exit of every rank after the first one's: median (of several launches: of their medians), and
  // mean; none of the latter in rows from before it was recorded.
  std::vector<double> behind_ns = {};
  std::vector<std::optional<PooledMean>> behind_mean = {};
};

struct Barriers {
  std::vector<BarrierRow> rows = {};  // by their median exit imbalance
  double sigma_ns = 0;                // of global times; 0: one clock
  std::size_t launches = 0;
};

// Methods without a repetition that counts have only their names.
Barriers read_barriers(const ClockCsv& table);

}  // namespace invar::analysis
