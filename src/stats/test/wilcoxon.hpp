#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/types.hpp"

// Wilcoxon's tests, with the choices of R's wilcox.test: exact for fewer than 50 values (a sample)
// without ties, else normal with correction for ties and for continuity.
namespace invar::stats {

enum class RankMethod {
  kAutomatic,  ///< exact where possible and sizes are below 50
  kNormal,     ///< always the normal approximation (R: exact = FALSE)
};

struct RankTest {
  double statistic =
      0.0;  ///< rank-sum: U = number of pairs with x > y (ties 1/2), R's W; signed-rank: R's V
  std::optional<double> p =
      std::nullopt;  ///< empty if all values are tied (or zero): such data say nothing
  bool exact = false;
};

/// Mann, Whitney, Wilcoxon: x against y. kLess: x tends to be smaller. Throws on an empty sample,
/// NaN, infinity.
RankTest rank_sum_test(std::span<const double> x, std::span<const double> y,
                       Alternative alternative = Alternative::kTwoSided,
                       RankMethod method = RankMethod::kAutomatic);

/// Wilcoxon's signed-rank test of the location of `differences` against `location`. Differences of
/// 0 are left out (and then the normal approximation is used), as Wilcoxon proposed and R does.
/// Throws on an empty sample, NaN, infinity.
RankTest signed_rank_test(std::span<const double> differences, double location = 0.0,
                          Alternative alternative = Alternative::kTwoSided,
                          RankMethod method = RankMethod::kAutomatic);

/// Smallest p-value that the exact test can give for these sizes, whatever the data: 2 / C(n + m,
/// n), at most 1 (one-sided: half of it). A test that cannot reach alpha must not be used to say
/// "no difference". Throws if a size is 0.
double rank_sum_min_p(std::size_t n, std::size_t m,
                      Alternative alternative = Alternative::kTwoSided);

/// Likewise 2 / 2^n for the signed-rank test.
double signed_rank_min_p(std::size_t n, Alternative alternative = Alternative::kTwoSided);

/// Smallest number of launches of each arm (of pairs) with which the test can reach p <= alpha at
/// all; for a family of m tests pass alpha / m. alpha in (0, 1).
std::size_t launches_needed_rank_sum(double alpha,
                                     Alternative alternative = Alternative::kTwoSided);
std::size_t launches_needed_signed_rank(double alpha,
                                        Alternative alternative = Alternative::kTwoSided);

}  // namespace invar::stats
