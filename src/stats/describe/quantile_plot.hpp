#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace invar::stats {

/// A sample against the normal distribution: values above the quantiles that a standard normal
/// sample of this size has at (i - 1/2) / n (i - 3/8 and n + 1/4 up to ten values, Blom 1958), as
/// R's qqnorm; and the line through both quartiles, as R's qqline. A normal sample lies on it.
struct QuantilePlot {
  std::vector<double> normal = {};  ///< ascending
  std::vector<double> values = {};  ///< ascending
  double intercept = 0.0;
  double slope = 0.0;
};

/// No more than `points` (>= 2) of the pairs, evenly spread, the outermost always among them. Empty
/// for fewer than two values. Throws on NaN, infinity.
std::optional<QuantilePlot> normal_quantile_plot(std::span<const double> values,
                                                 std::size_t points);

}  // namespace invar::stats
