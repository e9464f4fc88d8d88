#include "stats/test/wilcoxon.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/check.hpp"
#include "stats/describe/ranks.hpp"
#include "stats/test/normal.hpp"
#include "stats/test/wilcoxon_distribution.hpp"

namespace invar::stats {
namespace {

constexpr std::size_t kWilcoxonExactBelow = 50;

double exact_p(const SymmetricDistribution& null, double statistic, Alternative alternative) {
  const auto k = static_cast<std::size_t>(std::lround(statistic));
  switch (alternative) {
    case Alternative::kLess:
      return null.at_most(k);
    case Alternative::kGreater:
      return null.at_least(k);
    case Alternative::kTwoSided:
      break;
  }
  return std::min(1.0, 2.0 * std::min(null.at_most(k), null.at_least(k)));
}

/// `excess` = statistic - expectation. The correction for continuity moves it half a unit towards
/// the null hypothesis.
std::optional<double> normal_p(double excess, double variance, Alternative alternative) {
  if (!(variance > 0.0)) {
    return std::nullopt;
  }
  const double sigma = std::sqrt(variance);
  switch (alternative) {
    case Alternative::kLess:
      return normal_cdf((excess + 0.5) / sigma);
    case Alternative::kGreater:
      return normal_cdf(-(excess - 0.5) / sigma);
    case Alternative::kTwoSided:
      break;
  }
  // |excess| is a multiple of 1/2, so that the corrected value is never negative.
  const double corrected = excess == 0.0 ? 0.0 : std::abs(excess) - 0.5;
  return std::min(1.0, 2.0 * normal_cdf(-corrected / sigma));
}

double one_or_two_sided(double tail, Alternative alternative) {
  return std::min(1.0, alternative == Alternative::kTwoSided ? 2.0 * tail : tail);
}

template <typename MinimumP>
std::size_t smallest_count(double alpha, MinimumP minimum_p) {
  std::size_t count = 1;
  while (minimum_p(count) > alpha) {
    ++count;
  }
  return count;
}

}  // namespace

RankTest rank_sum_test(std::span<const double> x, std::span<const double> y,
                       Alternative alternative, RankMethod method) {
  check::sample("rank_sum_test", x);
  check::sample("rank_sum_test", y);
  std::vector<double> pooled(x.begin(), x.end());
  pooled.insert(pooled.end(), y.begin(), y.end());
  const Ranks ranks = midranks(pooled);

  const double n = static_cast<double>(x.size());
  const double m = static_cast<double>(y.size());
  double rank_sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    rank_sum += ranks.rank[i];
  }
  RankTest result;
  result.statistic = rank_sum - n * (n + 1.0) / 2.0;
  result.exact = method == RankMethod::kAutomatic && ranks.tie_term == 0.0 &&
                 x.size() < kWilcoxonExactBelow && y.size() < kWilcoxonExactBelow;
  if (result.exact) {
    result.p = exact_p(rank_sum_distribution(x.size(), y.size()), result.statistic, alternative);
    return result;
  }
  const double total = n + m;
  const double tie_share = ranks.tie_term == 0.0 ? 0.0 : ranks.tie_term / (total * (total - 1.0));
  const double variance = n * m / 12.0 * (total + 1.0 - tie_share);
  // All values tied: the two terms cancel only up to rounding.
  const bool all_tied = ranks.tie_term == total * total * total - total;
  result.p =
      all_tied ? std::nullopt : normal_p(result.statistic - n * m / 2.0, variance, alternative);
  return result;
}

RankTest signed_rank_test(std::span<const double> differences, double location,
                          Alternative alternative, RankMethod method) {
  check::sample("signed_rank_test", differences);
  if (!std::isfinite(location)) {
    check::fail("signed_rank_test", "the location must be finite");
  }
  std::vector<double> moved;
  std::vector<double> sizes;
  for (const double difference : differences) {
    if (difference - location != 0.0) {
      moved.push_back(difference - location);
      sizes.push_back(std::abs(moved.back()));
    }
  }
  if (moved.empty()) {
    return {};
  }
  const Ranks ranks = midranks(sizes);
  RankTest result;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    result.statistic += moved[i] > 0.0 ? ranks.rank[i] : 0.0;
  }
  const bool zeros = moved.size() != differences.size();
  result.exact = method == RankMethod::kAutomatic && ranks.tie_term == 0.0 && !zeros &&
                 moved.size() < kWilcoxonExactBelow;
  if (result.exact) {
    result.p = exact_p(signed_rank_distribution(moved.size()), result.statistic, alternative);
    return result;
  }
  const double n = static_cast<double>(moved.size());
  const double variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ranks.tie_term / 48.0;
  result.p = normal_p(result.statistic - n * (n + 1.0) / 4.0, variance, alternative);
  return result;
}

double rank_sum_min_p(std::size_t n, std::size_t m, Alternative alternative) {
  if (n == 0 || m == 0) {
    check::fail("rank_sum_min_p", "both samples need at least one value");
  }
  double tail = 1.0;  // 1 / C(n + m, n)
  for (std::size_t i = 1; i <= std::min(n, m); ++i) {
    tail *= static_cast<double>(i) / static_cast<double>(std::max(n, m) + i);
  }
  return one_or_two_sided(tail, alternative);
}

double signed_rank_min_p(std::size_t n, Alternative alternative) {
  if (n == 0) {
    check::fail("signed_rank_min_p", "the sample needs at least one value");
  }
  return one_or_two_sided(std::pow(0.5, static_cast<double>(n)), alternative);
}

std::size_t launches_needed_rank_sum(double alpha, Alternative alternative) {
  check::open_unit("launches_needed_rank_sum", "alpha", alpha);
  return smallest_count(alpha, [&](std::size_t n) { return rank_sum_min_p(n, n, alternative); });
}

std::size_t launches_needed_signed_rank(double alpha, Alternative alternative) {
  check::open_unit("launches_needed_signed_rank", "alpha", alpha);
  return smallest_count(alpha, [&](std::size_t n) { return signed_rank_min_p(n, alternative); });
}

}  // namespace invar::stats
