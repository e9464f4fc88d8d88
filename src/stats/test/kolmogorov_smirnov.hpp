#pragma once

#include <span>

#include "stats/types.hpp"

namespace invar::stats {

enum class KsMethod {
  kAutomatic,   ///< exact if n m < 10000 (R's rule), else asymptotic
  kAsymptotic,  ///< always the limit distribution
};

struct KsTest {
  double statistic =
      0.0;  ///< D, D- or D+: largest distance of the empirical distribution functions, in [0, 1]
  double p = 1.0;
  bool exact = false;
};

/// Two-sample Kolmogorov-Smirnov test. As in R, kGreater claims that the distribution function of x
/// lies ABOVE that of y (x tends to be smaller), kLess that it lies below. Exact p-values hold with
/// ties as well (conditional on them: Schroeer and Trenkler 1995). Throws on an empty sample, NaN,
/// infinity.
KsTest kolmogorov_smirnov_test(std::span<const double> x, std::span<const double> y,
                               Alternative alternative = Alternative::kTwoSided,
                               KsMethod method = KsMethod::kAutomatic);

/// P(K > x) of Kolmogorov's limit distribution; 1 for x <= 0.
double kolmogorov_upper_tail(double x);

}  // namespace invar::stats
