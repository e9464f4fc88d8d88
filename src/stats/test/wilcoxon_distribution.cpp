#include "stats/test/wilcoxon_distribution.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "stats/check.hpp"

namespace invar::stats {

SymmetricDistribution::SymmetricDistribution(std::vector<double> lower_half, std::size_t maximum)
    : cumulative_(std::move(lower_half)), maximum_(maximum) {
  for (std::size_t k = 1; k < cumulative_.size(); ++k) {
    cumulative_[k] += cumulative_[k - 1];
  }
}

double SymmetricDistribution::at_most(std::size_t k) const {
  if (k >= maximum_) {
    return 1.0;
  }
  return k < cumulative_.size() ? cumulative_[k] : 1.0 - cumulative_[maximum_ - k - 1];
}

double SymmetricDistribution::at_least(std::size_t k) const {
  return k > maximum_ ? 0.0 : at_most(maximum_ - k);
}

std::size_t SymmetricDistribution::quantile(double probability) const {
  check::open_unit("SymmetricDistribution::quantile", "probability", probability);
  // A probability such as 0.05 / 2 that is meant to hit a step exactly must not miss it by a
  // rounding error.
  const double reachable = probability - 10.0 * std::numeric_limits<double>::epsilon();
  std::size_t k = 0;
  while (at_most(k) < reachable) {
    ++k;
  }
  return k;
}

SymmetricDistribution rank_sum_distribution(std::size_t n, std::size_t m) {
  constexpr std::size_t kLargest = 200;
  if (n < 1 || m < 1 || n > kLargest || m > kLargest) {
    check::fail("rank_sum_distribution", "the sizes must lie in 1..200");
  }
  // p[j][k] = P(U = k) for sizes (i, j). The largest of all values is an x with probability i / (i
  // + j) and then beats j values of y: p(i, j, k) = i / (i + j) p(i - 1, j, k - j) + j / (i + j)
  // p(i, j - 1, k). Only additions of positive terms, so every probability is accurate to a few
  // units in the last place.
  const std::size_t maximum = n * m;
  const std::size_t kept = maximum / 2 + 1;
  const std::size_t rows = std::min(n, m);
  const std::size_t steps = std::max(n, m);
  std::vector<std::vector<double>> p(rows + 1, std::vector<double>(kept, 0.0));
  for (std::vector<double>& row : p) {
    row[0] = 1.0;
  }
  for (std::size_t i = 1; i <= steps; ++i) {
    for (std::size_t j = 1; j <= rows; ++j) {
      const double from_x = static_cast<double>(i) / static_cast<double>(i + j);
      const double from_y = 1.0 - from_x;
      const std::size_t top = std::min(kept - 1, i * j);
      const std::vector<double>& previous = p[j - 1];
      std::vector<double>& row = p[j];
      for (std::size_t k = top; k >= j; --k) {
        row[k] = from_x * row[k - j] + from_y * previous[k];
      }
      for (std::size_t k = 0; k < std::min(j, kept); ++k) {
        row[k] = from_y * previous[k];
      }
    }
  }
  return {std::move(p[rows]), maximum};
}

SymmetricDistribution signed_rank_distribution(std::size_t n) {
  constexpr std::size_t kLargest = 1000;
  if (n < 1 || n > kLargest) {
    check::fail("signed_rank_distribution", "the size must lie in 1..1000");
  }
  // Every rank belongs to a positive or a negative value with probability 1/2 each.
  const std::size_t maximum = n * (n + 1) / 2;
  std::vector<double> p(maximum / 2 + 1, 0.0);
  p[0] = 1.0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t k = p.size(); k-- > 0;) {
      p[k] = 0.5 * (p[k] + (k >= rank ? p[k - rank] : 0.0));
    }
  }
  return {std::move(p), maximum};
}

}  // namespace invar::stats
