#pragma once

#include <optional>
#include <span>

#include "stats/types.hpp"

namespace invar::stats {

struct MeanRatio {
  double ratio = 0.0;  ///< mean(x) / mean(y)
  /// Two-sided. Empty where Welch's test does not exist, and where it rejects no ratio on one side.
  std::optional<Interval> interval = std::nullopt;
};

/// Ratio of the means of positive values. The interval has all r for which Welch's t test between x
/// and r y keeps the null hypothesis (Fieller, J. R. Stat. Soc. B 16, 1954, with Welch's degrees of
/// freedom at each r): 1 lies outside exactly where t_test_welch rejects. confidence in (0, 1).
/// Throws on an empty sample, values that are not positive, NaN, infinity.
MeanRatio mean_ratio(std::span<const double> x, std::span<const double> y,
                     double confidence = 0.95);

}  // namespace invar::stats
