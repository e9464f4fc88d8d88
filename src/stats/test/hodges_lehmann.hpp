#pragma once

#include <optional>
#include <span>

#include "stats/types.hpp"

// Estimates of location that belong to Wilcoxon's tests (Hodges and Lehmann 1963; Hollander, Wolfe
// and Chicken 2014, sections 3.2, 3.3, 4.2, 4.3), with the distribution-free intervals of R's
// wilcox.test(conf.int = TRUE). Memory is linear in the sample size and time about 64 passes over
// the sorted sample: the n^2 averages or differences are never stored.
namespace invar::stats {

struct LocationEstimate {
  double estimate = 0.0;
  /// Two-sided. Empty if the sample is too small for the asked confidence (5 values cannot give 95
  /// %), or all values tied.
  std::optional<Interval> interval = std::nullopt;
  /// From the exact null distribution (no ties within a sample, fewer than 50 values), else its
  /// normal approximation with correction for ties and continuity.
  bool exact = false;
  /// Largest confidence that a sample of this size can give: that of the interval from the smallest
  /// to the largest average.
  double attainable_confidence = 0.0;
};

/// Median of the n (n + 1) / 2 averages (x_i + x_j) / 2, i <= j. confidence in (0, 1). Throws on an
/// empty sample, NaN, infinity.
LocationEstimate hodges_lehmann(std::span<const double> x, double confidence = 0.95);

/// Median of the n m differences x_i - y_j: by how much x lies above y.
LocationEstimate hodges_lehmann_shift(std::span<const double> x, std::span<const double> y,
                                      double confidence = 0.95);

}  // namespace invar::stats
