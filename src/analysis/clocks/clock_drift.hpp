// Drift of clocks: lines through offsets over time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/clocks/clock_csv.hpp"
#include "analysis/clocks/clock_means.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

struct DriftPoint {
  double seconds = 0;
  std::uint32_t rank = 0;
  double offset_ns = 0;  // the rank's clock - rank 0's
  double half_width_ns = 0;
  std::optional<double> truth_ns = {};
  std::uint32_t launch = 1;
};
std::vector<DriftPoint> read_drift(const ClockCsv& table);

// 1 ppm: a clock gains 1 us in a second.
struct DriftRow {
  std::uint32_t launch = 1;
  std::uint32_t rank = 0;
  std::size_t points = 0;
  double first_offset_ns = 0;
  double half_width_ns = 0;  // median
  double drift_ppm = 0;      // of a line through all points
  // Allows for errors that resemble their neighbours' (stats/model/trend.hpp).
  std::optional<stats::Interval> interval_ppm = {};
  std::vector<double> window_ppm = {};  // of lines through 10 s each, one after the other
  double largest_residual_ns = 0;
  std::optional<double> r_squared = {};
  std::optional<double> true_ppm = {};
  std::optional<double> largest_error_ns = {};  // of an offset, where the truth is known
};
constexpr double kDriftWindowS = 10;

// One a launch and rank, in this order; none where there are fewer than two points.
std::vector<DriftRow> drift_rows(const std::vector<DriftPoint>& points);

// A rank's drift over launches, which are what repeats: the mean of their lines' slopes, by
// Student's t. A clock's own drift may differ from launch to launch, with the machine's warmth.
struct PooledDrift {
  std::uint32_t rank = 0;
  PooledMean drift_ppm = {};
  std::optional<double> true_ppm = {};  // mean
};
// In the order of ranks; empty of a single launch.
std::vector<PooledDrift> pooled_drifts(const std::vector<DriftRow>& rows);

}  // namespace invar::analysis
