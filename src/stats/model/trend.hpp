#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/types.hpp"

// A slope over time, of values whose errors resemble their neighbours'.
namespace invar::stats {

struct TrendFit {
  double slope = 0.0;
  double ordinary_error = 0.0;  ///< standard error as if the errors were independent
  double ordinary_df = 0.0;     ///< n - 2, less one a control
  double slow_error = 0.0;      ///< standard error by the residuals' slowest shapes
  double slow_df = 0.0;         ///< the number of these shapes

  /// The wider of the two intervals by Student's t; empty where the line fits any points.
  [[nodiscard]] std::optional<Interval> interval(double confidence) const;
};

/// Least squares y = a + slope t + sum c_k control_k. Errors that wander are slow, as a slope is:
/// how large a slope they make by chance is seen in the slowest shapes that are left, those of t^2,
/// t^3 and so on, made orthogonal to everything before them. Each has the same variance as the
/// slope's own where the errors' spectrum is flat below it, so the ratio is Student's t with as
/// many degrees of freedom as shapes (Mueller, Econometrica 75, 2007; Lazarus, Lewis, Stock and
/// Watson, JBES 36, 2018, with cosines). Few shapes allow for long memory and give wide intervals.
/// Throws std::invalid_argument where lengths differ, for fewer than two points, NaN, infinity, and
/// where t is constant or follows from the controls.
TrendFit fit_trend(std::span<const double> t, std::span<const double> y,
                   std::span<const std::span<const double>> controls, std::size_t shapes);

}  // namespace invar::stats
