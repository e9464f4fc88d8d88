#pragma once

#include <span>
#include <vector>

namespace invar::stats {

/// Ranks from 1, tied values share the mean of their ranks.
struct Ranks {
  std::vector<double> rank;  ///< in the order of the values
  double tie_term = 0.0;     ///< sum over groups of t equal values of t^3 - t; 0 without ties
};

/// Equal means equal as a double. Throws on an empty sample, NaN, infinity.
Ranks midranks(std::span<const double> values);

}  // namespace invar::stats
