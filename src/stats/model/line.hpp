#pragma once

#include <optional>
#include <span>

// A straight line through points.
namespace invar::stats {

struct LineFit {
  double intercept = 0.0;  ///< at x = 0
  double slope = 0.0;
  double slope_standard_error = 0.0;  ///< 0 for two points
  double df = 0.0;                    ///< n - 2
  double largest_residual = 0.0;      ///< |y - line|
  std::optional<double> r_squared;    ///< empty where all y are equal
};

/// Ordinary least squares, as R's lm(y ~ x); centred, so that large offsets cost no precision.
/// Throws std::invalid_argument if the lengths differ, for fewer than two points, NaN, infinity,
/// and where all x are equal.
LineFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace invar::stats
