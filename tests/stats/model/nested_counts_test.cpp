// How often to repeat what: Kalibera and Jones' rule.
#include "stats/model/nested_counts.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace invar::stats {
namespace {

using Counts = std::vector<std::uint32_t>;
constexpr CountBounds kAny{.least = 1, .most = 100'000};

// Variance of the mean over the groups that one second affords.
double variance_per_second(const std::vector<NestedLevel>& levels, const Counts& counts) {
  double variance = levels.back().variance;
  double cost = levels.back().cost;
  double inside = 1;
  for (std::size_t i = counts.size(); i-- > 0;) {
    inside *= counts[i];
    variance += levels[i].variance / inside;
    cost += levels[i].cost * inside;
  }
  return variance * cost;
}

TEST(NestedCounts, FollowTheRootOfTheRatiosOfCostsAndVariances) {
  const std::vector<NestedLevel> levels{
      {.cost = 1, .variance = 4}, {.cost = 100, .variance = 1}, {.cost = 900, .variance = 0.25}};
  // sqrt(100 / 1 x 4 / 1) = 20, sqrt(900 / 100 x 1 / .25) = 6.
  EXPECT_EQ(nested_counts(levels, std::vector{kAny, kAny}), (Counts{20, 6}));
}

TEST(NestedCounts, NoNeighbouringNumbersAreBetter) {
  const std::vector<NestedLevel> levels{
      {.cost = 2, .variance = 7}, {.cost = 130, .variance = 3}, {.cost = 4000, .variance = 0.4}};
  const Counts best = nested_counts(levels, std::vector{kAny, kAny});
  for (const int level : {0, 1}) {
    for (const double factor : {0.6, 1.5}) {
      Counts other = best;
      auto& count = other[static_cast<std::size_t>(level)];
      count = static_cast<std::uint32_t>(count * factor);
      EXPECT_LT(variance_per_second(levels, best), variance_per_second(levels, other));
    }
  }
}

TEST(NestedCounts, ABoundIsKeptAndTheLevelAboveMakesUpForIt) {
  const std::vector<NestedLevel> levels{
      {.cost = 1, .variance = 4}, {.cost = 100, .variance = 1}, {.cost = 900, .variance = 0.25}};
  const Counts few = nested_counts(levels, std::vector{CountBounds{1, 2}, kAny});
  EXPECT_EQ(few[0], 2U);
  EXPECT_GT(few[1], 6U);
}

TEST(NestedCounts, WhereNothingVariesAboveAsMuchAsAllowedIsRepeatedBelow) {
  const std::vector<NestedLevel> levels{{.cost = 1, .variance = 4},
                                        {.cost = 100, .variance = -0.1}};
  EXPECT_EQ(nested_counts(levels, std::vector{CountBounds{5, 200}}), Counts{200});
  const std::vector<NestedLevel> still{{.cost = 1, .variance = 0}, {.cost = 100, .variance = 1}};
  EXPECT_EQ(nested_counts(still, std::vector{CountBounds{5, 200}}), Counts{5});
}

TEST(NestedCounts, WhatIsNoLevelIsRefused) {
  const std::vector<NestedLevel> two{{.cost = 1, .variance = 1}, {.cost = 1, .variance = 1}};
  EXPECT_THROW((void)nested_counts(two, {}), std::invalid_argument);
  EXPECT_THROW((void)nested_counts(two, std::vector{CountBounds{3, 2}}), std::invalid_argument);
  const std::vector<NestedLevel> bad{
      {.cost = -1, .variance = 1},
      {.cost = 1, .variance = std::numeric_limits<double>::infinity()}};
  EXPECT_THROW((void)nested_counts(bad, std::vector{kAny}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
