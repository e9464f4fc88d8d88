#pragma once

#include <cstddef>

// Counts of events with a known probability.
namespace invar::stats {

/// Largest count of events among `trials` that still agrees with probability `p` each, one-sided:
/// the smallest k with P(X > k) <= level. p in [0, 1], level in (0, 1), else
/// std::invalid_argument.
std::size_t binomial_limit(std::size_t trials, double p, double level);

/// Smallest p with which more than `limit` of `trials` are hit with probability `power`, in (0, 1);
/// 1 where limit >= trials: nothing would show. To four digits.
double binomial_detectable(std::size_t trials, std::size_t limit, double power);

}  // namespace invar::stats
