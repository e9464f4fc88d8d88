#include "stats/test/median_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "stats/check.hpp"

namespace invar::stats {

std::optional<std::size_t> median_interval_rank(std::size_t n, double confidence) {
  check::open_unit("median_interval_rank", "confidence", confidence);
  if (n == 0) return std::nullopt;
  const double count = static_cast<double>(n);
  const boost::math::binomial_distribution<> below(count, 0.5);
  // P(B <= k) is at most a half of what may be missed.
  const auto fits = [&](double k) { return 2 * boost::math::cdf(below, k) <= 1 - confidence; };
  // Near the normal approximation; then exact, step by step.
  const double guess = std::floor(count / 2 - std::sqrt(count));
  double k = std::clamp(guess, 0.0, count);
  while (k > 0 && !fits(k)) --k;
  if (!fits(k)) return std::nullopt;
  while (fits(k + 1)) ++k;
  return static_cast<std::size_t>(k) + 1;
}

std::optional<Interval> median_interval_sorted(std::span<const double> sorted, double confidence,
                                               double step) {
  if (sorted.empty()) check::fail("median_interval", "the sample is empty");
  check::not_negative("median_interval", "step", step);
  const std::optional<std::size_t> rank = median_interval_rank(sorted.size(), confidence);
  if (!rank) return std::nullopt;
  return Interval{.low = sorted[*rank - 1] - step / 2,
                  .high = sorted[sorted.size() - *rank] + step / 2,
                  .confidence = confidence};
}

}  // namespace invar::stats
