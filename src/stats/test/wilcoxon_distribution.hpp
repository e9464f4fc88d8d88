#pragma once

#include <cstddef>
#include <vector>

namespace invar::stats {

/// Null distribution of a rank statistic on 0..maximum, symmetric around maximum / 2. Only the
/// lower half is stored, so that both tails keep their full relative accuracy.
class SymmetricDistribution {
 public:
  /// lower_half: P(X = k) for k = 0..floor(maximum / 2).
  SymmetricDistribution(std::vector<double> lower_half, std::size_t maximum);

  [[nodiscard]] std::size_t maximum() const { return maximum_; }
  /// P(X <= k); 1 from k = maximum on.
  [[nodiscard]] double at_most(std::size_t k) const;
  /// P(X >= k); 0 above the maximum.
  [[nodiscard]] double at_least(std::size_t k) const;
  /// Smallest k with P(X <= k) >= probability, up to rounding; probability in (0, 1).
  [[nodiscard]] std::size_t quantile(double probability) const;

 private:
  std::vector<double> cumulative_;
  std::size_t maximum_;
};

/// Mann-Whitney's U for sample sizes n and m without ties: the number of pairs with x > y (Mann and
/// Whitney 1947, their recurrence). Cost O((n m)^2) additions. Sizes 1 to 200, else
/// std::invalid_argument.
SymmetricDistribution rank_sum_distribution(std::size_t n, std::size_t m);

/// Wilcoxon's V, the sum of the ranks with positive sign, n values without ties. Cost O(n^3). n 1
/// to 1000.
SymmetricDistribution signed_rank_distribution(std::size_t n);

}  // namespace invar::stats
