#include "stats/test/wilcoxon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "stats/describe/ranks.hpp"
#include "stats/golden.hpp"
#include "stats/test/wilcoxon_distribution.hpp"

namespace invar::stats {
namespace {

RankMethod method_of(const golden::Row& row) {
  return row.at("automatic") == "1" ? RankMethod::kAutomatic : RankMethod::kNormal;
}

bool is_constant(const golden::Samples& data) {
  return std::all_of(data.x.begin(), data.x.end(), [&](double v) { return v == data.x[0]; }) &&
         std::all_of(data.y.begin(), data.y.end(), [&](double v) { return v == data.x[0]; });
}

TEST(RankSumTest, AllSamplesAndAlternativesAgreeWithR) {
  int compared = 0;
  for (const golden::Row& row : golden::read("stats_wilcoxon.csv")) {
    if (row.at("kind") != "rank_sum") {
      continue;
    }
    const golden::Samples& data = golden::samples("two", row.at("case"));
    const RankTest test =
        rank_sum_test(data.x, data.y, golden::alternative(row.at("alternative")), method_of(row));
    const std::string what = row.at("case") + " " + row.at("alternative");
    EXPECT_EQ(test.statistic, *golden::number(row.at("statistic"))) << what;
    EXPECT_EQ(test.exact, row.at("exact") == "1") << what;
    // For constant data R divides by 0: NaN two-sided, 1 one-sided. Here there is no p at all.
    const auto expected = is_constant(data) ? std::nullopt : golden::number(row.at("p"));
    golden::expect_close(test.p, expected, 1e-10, what);
    ++compared;
  }
  EXPECT_EQ(compared, 24 * 6);
}

TEST(SignedRankTest, AllSamplesAndAlternativesAgreeWithR) {
  int compared = 0;
  for (const golden::Row& row : golden::read("stats_wilcoxon.csv")) {
    if (row.at("kind") != "signed_rank") {
      continue;
    }
    const RankTest test =
        signed_rank_test(golden::samples("one", row.at("case")).x, *golden::number(row.at("mu")),
                         golden::alternative(row.at("alternative")), method_of(row));
    const std::string what = row.at("case") + " " + row.at("alternative") + " " + row.at("mu");
    EXPECT_EQ(test.statistic, *golden::number(row.at("statistic"))) << what;
    EXPECT_EQ(test.exact, row.at("exact") == "1") << what;
    golden::expect_close(test.p, golden::number(row.at("p")), 1e-10, what);
    ++compared;
  }
  EXPECT_EQ(compared, 22 * 12);
}

TEST(SignedRankTest, OnlyZerosHaveNoP) {
  EXPECT_FALSE(signed_rank_test(std::vector{0.0, 0.0}).p.has_value());
  EXPECT_FALSE(signed_rank_test(std::vector{5.0, 5.0}, 5.0).p.has_value());
}

TEST(RankSumTest, AllTiedHasNoPEvenWhereRoundingLeavesAVariance) {
  // With 330284 values the two terms of the variance differ by 6e-11 instead of 0.
  const std::vector<double> half(165142, 7.0);
  EXPECT_FALSE(rank_sum_test(half, half).p.has_value());
}

TEST(RankTests, InvalidInputThrows) {
  const std::vector<double> good{1.0, 2.0};
  const std::vector<double> empty;
  const std::vector<double> bad{1.0, golden::kNaN};
  EXPECT_THROW(rank_sum_test(empty, good), std::invalid_argument);
  EXPECT_THROW(rank_sum_test(good, empty), std::invalid_argument);
  EXPECT_THROW(rank_sum_test(good, bad), std::invalid_argument);
  EXPECT_THROW(signed_rank_test(empty), std::invalid_argument);
  EXPECT_THROW(signed_rank_test(bad), std::invalid_argument);
  EXPECT_THROW(signed_rank_test(good, golden::kNaN), std::invalid_argument);
}

// Mistake 10 of the existing tools: a wrong expectation of the rank sum. Exchanging the samples
// must turn the statistic and the one-sided p-values round, and two samples with the same values
// must be as undecided as possible.
TEST(RankSumTest, ExchangedSamplesGiveTheMirroredAnswer) {
  for (const std::string name : {"unequal", "ties_large", "large", "three_four"}) {
    const golden::Samples& data = golden::samples("two", name);
    const double pairs = static_cast<double>(data.x.size() * data.y.size());
    const RankTest ahead = rank_sum_test(data.x, data.y, Alternative::kLess);
    const RankTest back = rank_sum_test(data.y, data.x, Alternative::kGreater);
    EXPECT_DOUBLE_EQ(ahead.statistic, pairs - back.statistic) << name;
    EXPECT_DOUBLE_EQ(*ahead.p, *back.p) << name;
  }
}

TEST(RankSumTest, SameValuesInBothSamplesGiveTheExpectationAndPOne) {
  const std::vector<double> values{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
  const RankTest test = rank_sum_test(values, values);
  EXPECT_EQ(test.statistic, 49.0 / 2.0);
  EXPECT_EQ(test.p, 1.0);
}

// Mistake 10 as well: results must not depend on what was tested before.
TEST(RankSumTest, RepeatedCallsAreIndependentOfEachOther) {
  const golden::Samples& first = golden::samples("two", "apart");
  const golden::Samples& second = golden::samples("two", "ties");
  const RankTest alone = rank_sum_test(second.x, second.y);
  rank_sum_test(first.x, first.y);
  const RankTest after = rank_sum_test(second.x, second.y);
  EXPECT_EQ(alone.statistic, after.statistic);
  EXPECT_EQ(alone.p, after.p);
}

TEST(RankSumDistribution, SmallSizesEqualTheEnumerationOfAllSubsets) {
  for (std::size_t n = 1; n <= 5; ++n) {
    for (std::size_t m = 1; m <= 6; ++m) {
      std::vector<double> counts(n * m + 1, 0.0);
      double total = 0.0;
      for (unsigned subset = 0; subset < (1U << (n + m)); ++subset) {
        std::size_t chosen = 0;
        std::size_t u = 0;  // pairs of a chosen and a smaller one that was not
        for (std::size_t position = 0; position < n + m; ++position) {
          if ((subset >> position & 1U) != 0) {
            u += position - chosen;
            ++chosen;
          }
        }
        if (chosen == n) {
          counts[u] += 1.0;
          total += 1.0;
        }
      }
      const SymmetricDistribution null = rank_sum_distribution(n, m);
      ASSERT_EQ(null.maximum(), n * m);
      double cumulative = 0.0;
      for (std::size_t u = 0; u <= n * m; ++u) {
        EXPECT_NEAR(null.at_least(u), 1.0 - cumulative / total, 1e-14);
        cumulative += counts[u];
        EXPECT_NEAR(null.at_most(u), cumulative / total, 1e-14) << n << " " << m << " " << u;
      }
    }
  }
}

TEST(RankDistributions, ImpossibleSizesThrow) {
  EXPECT_THROW(rank_sum_distribution(0, 3), std::invalid_argument);
  EXPECT_THROW(rank_sum_distribution(3, 201), std::invalid_argument);
  EXPECT_THROW(signed_rank_distribution(0), std::invalid_argument);
  EXPECT_THROW(signed_rank_distribution(1001), std::invalid_argument);
}

// Mistake 11 of the existing tools: two launches each, and a test that cannot reach .05 with them.
TEST(LaunchesNeeded, TwoLaunchesCannotReachFivePercent) {
  EXPECT_DOUBLE_EQ(rank_sum_min_p(2, 2), 1.0 / 3.0);
  EXPECT_GT(rank_sum_min_p(3, 3), 0.05);
  EXPECT_EQ(launches_needed_rank_sum(0.05), 4U);
  EXPECT_EQ(launches_needed_rank_sum(0.05, Alternative::kLess), 3U);
  EXPECT_EQ(launches_needed_signed_rank(0.05), 6U);
  EXPECT_EQ(launches_needed_signed_rank(0.05, Alternative::kGreater), 5U);
}

// The other half of mistake 11: with 300 tests in a table the first rejection must survive alpha /
// 300.
TEST(LaunchesNeeded, ThreeHundredTestsNeedMore) {
  EXPECT_EQ(launches_needed_rank_sum(0.05 / 300.0), 8U);
  EXPECT_EQ(launches_needed_signed_rank(0.05 / 300.0), 14U);
}

TEST(MinimumP, IsWhatTheTestGivesForSeparatedSamples) {
  for (std::size_t n = 1; n <= 8; ++n) {
    std::vector<double> low(n);
    std::iota(low.begin(), low.end(), 1.0);
    std::vector<double> high(n + 2);
    std::iota(high.begin(), high.end(), 100.0);
    EXPECT_NEAR(*rank_sum_test(low, high).p, rank_sum_min_p(n, n + 2), 1e-15);
    EXPECT_NEAR(*signed_rank_test(low).p, signed_rank_min_p(n), 1e-15);
    EXPECT_NEAR(*signed_rank_test(low, 0.0, Alternative::kGreater).p,
                signed_rank_min_p(n, Alternative::kGreater), 1e-15);
  }
}

TEST(MinimumP, InvalidInputThrows) {
  EXPECT_THROW(rank_sum_min_p(0, 3), std::invalid_argument);
  EXPECT_THROW(signed_rank_min_p(0), std::invalid_argument);
  EXPECT_THROW(launches_needed_rank_sum(0.0), std::invalid_argument);
  EXPECT_THROW(launches_needed_signed_rank(1.0), std::invalid_argument);
  EXPECT_THROW(launches_needed_signed_rank(golden::kNaN), std::invalid_argument);
}

TEST(Midranks, TiesShareTheMeanRank) {
  const Ranks ranks = midranks(std::vector{5.0, 1.0, 5.0, 0.5, 5.0});
  EXPECT_EQ(ranks.rank, (std::vector{4.0, 2.0, 4.0, 1.0, 4.0}));
  EXPECT_EQ(ranks.tie_term, 24.0);
}

}  // namespace
}  // namespace invar::stats
