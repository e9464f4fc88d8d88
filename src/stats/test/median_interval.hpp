#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/types.hpp"

// A distribution-free interval of the median, from two order statistics (the sign test turned
// around; Hollander, Wolfe and Chicken 2014, section 3.6). No end is interpolated: it holds
// whatever the distribution is.
namespace invar::stats {

/// The rank l, from 1, of the narrowest interval [x_(l), x_(n + 1 - l)] that covers the median with
/// at least this confidence: the largest l with 2 P(B < l) <= 1 - confidence, B binomial with n and
/// 1/2. Empty where n is too small (5 values cannot give 95 %). confidence in (0, 1), else
/// std::invalid_argument.
std::optional<std::size_t> median_interval_rank(std::size_t n, double confidence);

/// [x_(l) - step/2, x_(n + 1 - l) + step/2] of values that are sorted already (not checked), in
/// their unit. Of values that a clock has rounded to its step (same unit, >= 0) the order
/// statistics are the rounded ones of what was rounded, so that so much wider the interval covers
/// the median of that; it is never narrower than a step. Empty as above. Throws
/// std::invalid_argument on an empty sample, a negative step, a confidence outside (0, 1).
std::optional<Interval> median_interval_sorted(std::span<const double> sorted, double confidence,
                                               double step = 0.0);

}  // namespace invar::stats
