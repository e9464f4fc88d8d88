#pragma once

namespace invar::stats {

/// Standard normal distribution: P(Z <= z) and its inverse (probability in (0, 1), else
/// std::invalid_argument). Tails keep their relative accuracy: for an upper tail take
/// normal_cdf(-z).
double normal_cdf(double z);
double normal_quantile(double probability);

}  // namespace invar::stats
