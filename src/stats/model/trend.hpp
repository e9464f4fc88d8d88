#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/types.hpp"

// A slope over time, of values whose errors resemble their neighbours'.
namespace invar::stats {

/// One possibility of how the errors behave, and what it says of the slope.
struct TrendComponent {
  double walk = 0.0;  ///< variance of the walk over the whole time, in noise variances / points
  double slope = 0.0;
  double error = 0.0;   ///< its standard error
  double weight = 0.0;  ///< of all components together: 1
};

struct TrendFit {
  double slope = 0.0;           ///< by ordinary least squares
  double ordinary_error = 0.0;  ///< its standard error as if the errors were independent
  double df = 0.0;              ///< n - 2, less one a control
  std::vector<TrendComponent> components = {};

  /// From quantile to quantile of the components' mixture of Student's t, and to `slope` where that
  /// lies outside; empty where the line fits any points.
  [[nodiscard]] std::optional<Interval> interval(double confidence) const;
};

/// Least squares y = a + slope t + sum c_k control_k, with errors that are white noise and a random
/// walk. How large the walk is cannot be told from few points, so a grid of ratios is taken, from a
/// walk that noise hides to one beside which there is no noise: each has its generalised least
/// squares slope with Student's t, and the weight of its restricted likelihood (Harville,
/// Biometrika 61, 1974) times its standard deviation's root, which leans to the walk. Throws
/// std::invalid_argument where lengths differ, for fewer than two points, NaN, infinity, times that
/// run backwards, and where t is constant or follows from the controls.
TrendFit fit_trend(std::span<const double> t, std::span<const double> y,
                   std::span<const std::span<const double>> controls);

}  // namespace invar::stats
