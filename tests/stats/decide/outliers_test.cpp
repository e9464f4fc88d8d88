// Which of several series takes longer than the others: by hand, and on 600 real A/A groups.
#include "stats/decide/outliers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "stats/aa_groups.hpp"

namespace invar::stats {
namespace {

constexpr DecisionRule kTwoPercent{.alpha = 0.05, .min_effect = 0.02};

// One round a group.
AlikeSeries series_of(const std::vector<double>& log_times, std::size_t set = 0) {
  AlikeSeries series{.set = set};
  for (std::uint32_t group = 0; group < log_times.size(); ++group) {
    series.points.push_back({.place = {.group = group + 1}, .log_time = log_times[group]});
  }
  return series;
}

// Five that differ by a thousandth, and a last one that is slower by this factor; every group has a
// luck of its own, which is ten times as large.
std::vector<AlikeSeries> six_series(double factor, std::size_t groups = 6) {
  std::vector<AlikeSeries> all;
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<double> logs;
    for (std::size_t group = 0; group < groups; ++group) {
      const auto wobble = static_cast<double>((i * 7 + group * 5) % 11) - 5;
      const double luck = group % 2 == 0 ? 0.2 : -0.1;
      logs.push_back(7 + luck + 0.001 * wobble + (i == 5 ? std::log(factor) : 0));
    }
    all.push_back(series_of(logs));
  }
  return all;
}

TEST(Outliers, AreComparedWithTheMedianOfTheirSetInTheSameGroup) {
  const std::vector<Outlier> found = find_outliers(six_series(1.3), kTwoPercent);
  ASSERT_EQ(found.size(), 6U);
  EXPECT_NEAR(*found[5].ratio, 1.3, 0.01) << "whatever the luck of the groups";
  EXPECT_EQ(found[5].verdict, Verdict::kViolated);
  EXPECT_TRUE(found[5].stands_out());
  EXPECT_GT(found[5].interval->low, 1.02) << "the interval says what the verdict does";
  EXPECT_EQ(found[5].groups, 6U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(*found[i].ratio, 1, 0.01);
    EXPECT_EQ(found[i].verdict, Verdict::kHolds);
  }
}

TEST(Outliers, WhatIsNoTimeOfItsOwnMakesNobodyStandOut) {
  std::vector<AlikeSeries> series = six_series(1.3);
  series[5].slack = 0.2;
  EXPECT_TRUE(find_outliers(series, kTwoPercent)[5].stands_out());
  series[5].slack = 0.4;
  EXPECT_FALSE(find_outliers(series, kTwoPercent)[5].stands_out());
}

TEST(Outliers, BelowTheSmallestEffectNobodyStandsOut) {
  EXPECT_EQ(find_outliers(six_series(1.01), kTwoPercent)[5].verdict, Verdict::kHolds);
  EXPECT_TRUE(find_outliers(six_series(1.05), kTwoPercent)[5].stands_out());
  EXPECT_FALSE(find_outliers(six_series(0.8), kTwoPercent)[5].stands_out())
      << "who is faster is not a fault";
}

TEST(Outliers, OfOtherSetsDoNotCount) {
  std::vector<AlikeSeries> all = six_series(1);
  for (AlikeSeries one : six_series(1)) {
    one.set = 1;
    for (AlikeSeries::Point& point : one.points) point.log_time += std::log(2);
    all.push_back(one);
  }
  for (const Outlier& one : find_outliers(all, kTwoPercent)) EXPECT_FALSE(one.stands_out());
}

// With two nobody knows which one is slow.
TEST(Outliers, NeedThreeSeriesAtLeast) {
  std::vector<AlikeSeries> all = six_series(1.3);
  const std::vector<AlikeSeries> two{all[0], all[5]};
  for (const Outlier& one : find_outliers(two, kTwoPercent)) {
    EXPECT_FALSE(one.ratio);
    EXPECT_FALSE(one.p_adjusted);
    EXPECT_EQ(one.verdict, Verdict::kUndecided);
  }
  const std::vector<AlikeSeries> three{all[0], all[1], all[5]};
  EXPECT_TRUE(find_outliers(three, kTwoPercent)[2].stands_out());
}

TEST(Outliers, OfOneGroupAreToldByNoTest) {
  const std::vector<Outlier> found = find_outliers(six_series(1.3, 1), kTwoPercent);
  EXPECT_NEAR(*found[5].ratio, 1.3, 0.02);
  EXPECT_TRUE(found[5].this_launch_only);
  EXPECT_FALSE(found[5].p_adjusted);
  EXPECT_FALSE(found[5].stands_out());
}

// A group's value is the median over its rounds: one disturbed round is not one slow pair.
TEST(Outliers, ADisturbedRoundOfAGroupIsNone) {
  std::vector<AlikeSeries> all = six_series(1);
  for (AlikeSeries& one : all) {
    const std::vector<AlikeSeries::Point> first = one.points;
    for (std::uint32_t round = 1; round < 3; ++round) {
      for (AlikeSeries::Point point : first) {
        point.place.round = round;
        one.points.push_back(point);
      }
    }
  }
  for (AlikeSeries::Point& point : all[5].points) {
    if (point.place.round == 1) point.log_time += 2;
  }
  EXPECT_FALSE(find_outliers(all, kTwoPercent)[5].stands_out());
}

// What one place lacks does not spoil the others.
TEST(Outliers, ARoundWithoutEnoughSeriesIsLeftOut) {
  std::vector<AlikeSeries> all = six_series(1.3);
  for (std::size_t i = 0; i < 4; ++i) all[i].points.pop_back();
  const std::vector<Outlier> found = find_outliers(all, kTwoPercent);
  EXPECT_EQ(found[5].groups, 5U);
  EXPECT_TRUE(found[5].stands_out());
}

TEST(Outliers, ASlowPairIsNoneWhereTheClockCouldNotTell) {
  std::vector<AlikeSeries> all = six_series(1.05);
  for (AlikeSeries& one : all) one.resolution = 0.1;
  EXPECT_FALSE(find_outliers(all, kTwoPercent)[5].stands_out());
}

struct NamedTables {
  double with_a_false_one = 0;
  double planted_named = 0;
};

// Tables of twelve directed pairs, six of each direction, over groups drawn with replacement.
NamedTables tables_of(const std::string& library, std::size_t groups, double min_effect,
                      double planted) {
  constexpr std::size_t kPairs = 12;
  constexpr int kSimulated = 400;
  const std::vector<std::vector<double>> known = real_groups(library);
  base::Random random(5);
  NamedTables share;
  for (int table = 0; table < kSimulated; ++table) {
    const std::size_t target = random.below(kPairs);
    std::vector<AlikeSeries> all(kPairs);
    for (std::size_t i = 0; i < kPairs; ++i) all[i].set = i % 2;
    for (std::uint32_t group = 0; group < groups; ++group) {
      const std::vector<double>& drawn = known[random.below(known.size())];
      for (std::size_t i = 0; i < kPairs; ++i) {
        all[i].points.push_back(
            {.place = {.group = group}, .log_time = drawn[i] + (i == target ? planted : 0)});
      }
    }
    const std::vector<Outlier> found =
        find_outliers(all, {.alpha = 0.05, .min_effect = min_effect});
    bool false_one = false;
    for (std::size_t i = 0; i < kPairs; ++i) {
      const bool is_planted = planted != 0 && i == target;
      if (found[i].stands_out() && !is_planted) false_one = true;
      if (found[i].stands_out() && is_planted) share.planted_named += 1;
    }
    share.with_a_false_one += false_one ? 1 : 0;
  }
  share.with_a_false_one /= kSimulated;
  share.planted_named /= kSimulated;
  return share;
}

// Real noise, in which cells of a group share its luck. Three standard errors above .05.
TEST(Outliers, AreFalseInAtMostFivePercentOfTables) {
  for (const std::string library : {"openmpi", "mpich"}) {
    for (const std::size_t groups : {3U, 5U, 8U}) {
      EXPECT_LE(tables_of(library, groups, 0, 0).with_a_false_one, 0.083)
          << library << ", " << groups << " groups, no smallest effect";
      EXPECT_LE(tables_of(library, groups, 0.02, 0).with_a_false_one, 0.01)
          << library << ", " << groups << " groups";
    }
  }
}

TEST(Outliers, OneDirectionThatIsTenPercentSlowerIsNamedAndNothingElse) {
  for (const std::string library : {"openmpi", "mpich"}) {
    const NamedTables eight = tables_of(library, 8, 0.02, std::log(1.1));
    EXPECT_GE(eight.planted_named, 0.8) << library;
    EXPECT_LE(eight.with_a_false_one, 0.01) << library;
    EXPECT_GE(tables_of(library, 12, 0.02, std::log(1.1)).planted_named, 0.9) << library;
  }
}

}  // namespace
}  // namespace invar::stats
