// Series as points: the luck of launch groups taken away, gaps from trains, sizes held out.
#include "analysis/network/fit/series_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/network/simulated_network.hpp"

namespace invar::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr double kMinEffect = 0.02;

DataSeries one_series(SeriesKind kind, std::vector<SeriesObservation> observations) {
  return {.key = {.kind = kind}, .observations = std::move(observations)};
}

SeriesObservation visit(std::uint64_t size, std::uint32_t group, double time_ns) {
  return {.size_bytes = size, .group = group, .median_ns = time_ns, .mean_ns = time_ns};
}

TEST(SeriesTimes, HalfARoundTripIsHalfOfWhatWasMeasured) {
  NetworkData data;
  data.series.push_back(one_series(SeriesKind::kRoundTrip, {visit(8, 1, 400), visit(8, 2, 400)}));
  const auto points = points_of(series_times(data, {SeriesKind::kRoundTrip}), {}, kMinEffect, 0);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_NEAR(points.front().mean_ns, 200, 1e-9);
  EXPECT_EQ(points.front().groups, 2U);
}

// Sizes are measured in other groups each, and a slow group must not make a bump of its sizes.
TEST(SeriesTimes, WhatAGroupsSizesHaveInCommonIsNoneOfTheirs) {
  DataSeries series{.key = {SeriesKind::kSend}};
  for (std::uint64_t size = 1; size <= 20; ++size) {
    for (std::uint32_t group = 1; group <= 6; ++group) {
      if ((size + group) % 2 == 0 && size != 7 && size != 8) continue;
      const double luck = group == 3 ? 1.5 : 1;
      series.observations.push_back(visit(size, group, (100 + static_cast<double>(size)) * luck));
    }
  }
  NetworkData data;
  data.series.push_back(series);
  const auto points = points_of(series_times(data, {SeriesKind::kSend}), {}, kMinEffect, 0);
  ASSERT_THAT(points, SizeIs(20));
  const double level = points.front().mean_ns / 101;
  for (const SeriesPoint& point : points) {
    EXPECT_NEAR(point.mean_ns / (100 + static_cast<double>(point.size_bytes)), level, 1e-6);
  }
}

TEST(SeriesTimes, OfSeveralVisitsInAGroupTheMedianCounts) {
  NetworkData data;
  data.series.push_back(one_series(
      SeriesKind::kSend, {visit(8, 1, 100), visit(8, 1, 102), visit(8, 1, 900), visit(8, 2, 102)}));
  const auto points = points_of(series_times(data, {SeriesKind::kSend}), {}, kMinEffect, 0);
  EXPECT_NEAR(points.front().mean_ns, 102, 1e-6);
}

// A mean of two visits has half of what hit one of them, which no bound of the group's value finds.
TEST(SeriesTimes, AVisitThatIsFarOffAloneIsLeftOut) {
  NetworkData data;
  std::vector<SeriesObservation> visits;
  for (std::uint64_t size = 1; size <= 20; ++size) {
    for (std::uint32_t group = 1; group <= 5; ++group) {
      const double usual = 100 + static_cast<double>((size * 7 + group * 3) % 5);
      const bool hit = (size + group) % 5 == 0;
      visits.push_back(visit(size, group, usual));
      visits.push_back(visit(size, group, usual * (hit ? 1.2 : 1)));
    }
  }
  data.series.push_back(one_series(SeriesKind::kSend, visits));
  for (const SeriesPoint& point :
       points_of(series_times(data, {SeriesKind::kSend}), {}, kMinEffect, 0)) {
    EXPECT_NEAR(point.mean_ns, 102, 0.5) << point.size_bytes;
  }
}

TEST(SeriesTimes, VisitsThatAreAllFarOffStay) {
  NetworkData data;
  std::vector<SeriesObservation> visits;
  for (std::uint64_t size = 1; size <= 20; ++size) {
    for (std::uint32_t group = 1; group <= 5; ++group) {
      const bool hit = size == 10 && group == 2;
      for (const double off : {-1.0, 1.0}) {
        visits.push_back(visit(size, group, (100 + off) * (hit ? 1.5 : 1)));
      }
    }
  }
  data.series.push_back(one_series(SeriesKind::kSend, visits));
  const auto points = points_of(series_times(data, {SeriesKind::kSend}), {}, kMinEffect, 0);
  EXPECT_EQ(points.at(9).groups, 5U);
  EXPECT_EQ(points.at(9).bounded, 1U) << "the bound of groups' values is what finds it";
}

TEST(SeriesTimes, FitsDoNotSeeHeldOutSizes) {
  NetworkData data;
  data.held_out = {16};
  data.series.push_back(one_series(SeriesKind::kSend, {visit(8, 1, 100), visit(16, 1, 110),
                                                       visit(8, 2, 100), visit(16, 2, 110)}));
  const SeriesTimes times = series_times(data, {SeriesKind::kSend});
  EXPECT_THAT(points_of(times, {}, kMinEffect, 0), SizeIs(1));
  const auto all = all_points_of(times, kMinEffect, 0);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_TRUE(all[1].held_out);
  EXPECT_THAT(fitted_points(all), SizeIs(1));
}

TEST(SeriesTimes, AGroupThatCountsMoreMovesTheMean) {
  NetworkData data;
  data.series.push_back(one_series(
      SeriesKind::kSend, {visit(8, 1, 100), visit(8, 2, 120), visit(9, 1, 100), visit(9, 2, 120)}));
  const SeriesTimes times = series_times(data, {SeriesKind::kSend});
  const std::vector<GroupWeight> weights{{.group = 1, .weight = 9}, {.group = 2, .weight = 1}};
  const double both = points_of(times, {}, kMinEffect, 0).front().mean_ns;
  EXPECT_NEAR(both, std::sqrt(100.0 * 120.0), 0.01);
  EXPECT_LT(points_of(times, weights, kMinEffect, 0).front().mean_ns, 103);
}

TEST(SeriesTimes, OfASeriesThatWasNotMeasuredThereAreNone) {
  EXPECT_TRUE(series_times({}, {SeriesKind::kSend}).empty());
  EXPECT_THAT(points_of(series_times({}, {SeriesKind::kSend}), {}, kMinEffect, 0), IsEmpty());
}

NetworkData with_trains(double single_ns, double train_ns) {
  NetworkData data;
  for (const auto& [messages, time_ns] : {std::pair(1U, single_ns), {4U, 0.0}, {10U, train_ns}}) {
    if (time_ns == 0) continue;
    data.series.push_back({.key = {.kind = SeriesKind::kTrain, .messages = messages},
                           .observations = {visit(64, 1, time_ns), visit(64, 2, time_ns)}});
  }
  return data;
}

TEST(GapTimes, AreWhatAFurtherMessageTakes) {
  LostGaps lost;
  const auto points = points_of(gap_times(with_trains(1000, 1900), lost), {}, kMinEffect, 0);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_NEAR(points.front().mean_ns, 100, 1e-6);
  EXPECT_EQ(lost.times, 0U);
}

TEST(GapTimes, OfATrainThatTookNoLongerAreLostAndCounted) {
  LostGaps lost;
  EXPECT_TRUE(gap_times(with_trains(1000, 1000), lost).empty());
  EXPECT_EQ(lost.times, 2U);
  EXPECT_EQ(lost.sizes, 1U);
}

// What is left of gaps around 0 are those above it.
TEST(GapTimes, OfASizeThatLosesSomeGroupsAreLeftOut) {
  NetworkData data;
  std::vector<SeriesObservation> single;
  std::vector<SeriesObservation> train;
  for (const std::uint64_t size : {64U, 128U}) {
    for (std::uint32_t group = 1; group <= 24; ++group) {
      const bool lost = group <= (size == 64 ? 2U : 1U);
      single.push_back(visit(size, group, 1000));
      train.push_back(visit(size, group, lost ? 990 : 1900));
    }
  }
  data.series.push_back(
      {.key = {.kind = SeriesKind::kTrain, .messages = 1}, .observations = std::move(single)});
  data.series.push_back(
      {.key = {.kind = SeriesKind::kTrain, .messages = 10}, .observations = std::move(train)});
  LostGaps lost;
  const auto points = points_of(gap_times(data, lost), {}, kMinEffect, 0);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points.front().size_bytes, 128U) << "one of 24 is less than a twentieth";
  EXPECT_EQ(points.front().groups, 23U);
  EXPECT_EQ(lost.times, 3U);
  EXPECT_EQ(lost.sizes, 1U);
}

TEST(GapTimes, NeedBothTrains) {
  NetworkData data = with_trains(1000, 1900);
  data.series.erase(data.series.begin());
  LostGaps lost;
  EXPECT_TRUE(gap_times(data, lost).empty());
}

TEST(AllGroups, AreThoseOfAllSeries) {
  NetworkData data;
  data.series.push_back(one_series(SeriesKind::kSend, {visit(8, 3, 100)}));
  data.series.push_back(one_series(SeriesKind::kIsend, {visit(8, 1, 100)}));
  const auto groups = all_groups(data);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(groups[0].group, 1U);
  EXPECT_EQ(groups[1].group, 3U);
}

}  // namespace
}  // namespace invar::analysis
