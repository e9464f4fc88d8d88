// What each suite would print of a run, by hand: table 4 of Hunold and Carpen-Amarie 2016.
#include "analysis/suites/preset_processing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace invar::analysis {
namespace {

using design::Processing;

// Times of two ranks; what is recorded of all ranks follows.
PresetSample sample(std::vector<double> first, std::vector<double> second) {
  PresetSample made{.rank_ns = {first, second}};
  for (std::size_t i = 0; i < first.size(); ++i) {
    made.largest_ns.push_back(std::max(first[i], second[i]));
    made.mean_ns.push_back((first[i] + second[i]) / 2);
  }
  return made;
}

double number(const std::vector<ReportedNumber>& numbers, std::string_view name) {
  for (const ReportedNumber& one : numbers) {
    if (one.name == name) return one.time_ns;
  }
  ADD_FAILURE() << "no number '" << name << "'";
  return std::nan("");
}

TEST(Processing, Ps1SkampiIsTheMeanOfTheMiddleHalfOfTheSlowestRank) {
  // Largest: 10 1 9 2 8 3 7 4 100, sorted 1 2 | 3 4 7 8 9 | 10 100: two of nine cut off at each
  // end.
  const auto numbers = process(Processing::kMiddleHalf,
                               sample({10, 1, 9, 2, 8, 3, 7, 4, 100}, {1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(numbers.front().name, "mean");
  EXPECT_DOUBLE_EQ(number(numbers, "mean"), 31.0 / 5);
  // Squares around 6.2: 10.24 4.84 .64 3.24 7.84, sum 26.8; variance 6.7; over 5 values.
  EXPECT_DOUBLE_EQ(number(numbers, "std_error"), std::sqrt(6.7 / 5));
}

TEST(Processing, Ps1OfFewerThanFourRepetitionsCutsNothing) {
  EXPECT_DOUBLE_EQ(process(Processing::kMiddleHalf, sample({1, 2, 6}, {0, 0, 0})).front().time_ns,
                   3);
}

TEST(Processing, Ps2MpiblibIsTheMeanOfTheSlowestRankWithAnIntervalOfNinetyPercent) {
  const auto numbers = process(Processing::kMeanOfLargest, sample({4, 1, 6}, {1, 5, 2}));
  EXPECT_DOUBLE_EQ(numbers.front().time_ns, 5);
  // Variance 1, t(.95, 2 df) = 2.919986.
  EXPECT_NEAR(number(numbers, "ci_low"), 5 - 2.919986 / std::sqrt(3), 1e-6);
  EXPECT_NEAR(number(numbers, "ci_high"), 5 + 2.919986 / std::sqrt(3), 1e-6);
}

TEST(Processing, Ps2MpicroscopePrintsTheLeastFirst) {
  const auto numbers = process(Processing::kLeastOfLargest, sample({4, 1, 6}, {1, 5, 2}));
  EXPECT_EQ(numbers.front().name, "min");
  EXPECT_DOUBLE_EQ(number(numbers, "min"), 4);
  EXPECT_DOUBLE_EQ(number(numbers, "mean"), 5);
  EXPECT_DOUBLE_EQ(number(numbers, "max"), 6);
}

TEST(Processing, Ps3OsuAndPs7ImbAverageRanksSoThatImbalanceIsHidden) {
  // peers: bcast 0.42 us = (0.13 + 0.70) / 2.
  const auto numbers = process(Processing::kMeanOfRanks, sample({130, 130}, {690, 710}));
  EXPECT_EQ(numbers.front().name, "avg");
  EXPECT_DOUBLE_EQ(number(numbers, "avg"), 415);
  EXPECT_DOUBLE_EQ(number(numbers, "min"), 130);
  EXPECT_DOUBLE_EQ(number(numbers, "max"), 700);
}

TEST(Processing, Ps4IsFromTheRootsStartToTheLastEnd) {
  PresetSample one = sample({1, 1, 1}, {1, 1, 1});
  EXPECT_TRUE(process(Processing::kRootToLast, one).empty());  // no comparable clocks
  one.root_to_last_ns = {2, 3, 4};
  EXPECT_DOUBLE_EQ(process(Processing::kRootToLast, one).front().time_ns, 3);
}

TEST(Processing, Ps5MpibenchRemovesWhatIsAboveTwiceTheUpperPercentile) {
  std::vector<double> first(300, 10);
  std::vector<double> second(300, 20);
  first[7] = 1000;  // one of 600 lies beyond the 99 % quantile of 20, and above 40
  second[3] = 39;
  const auto numbers = process(Processing::kWithoutOutliers, sample(first, second));
  EXPECT_DOUBLE_EQ(number(numbers, "mean"), (299 * 10.0 + 299 * 20.0 + 39) / 599);
  EXPECT_DOUBLE_EQ(number(numbers, "max"), 39);
  EXPECT_DOUBLE_EQ(number(numbers, "min"), 10);
}

TEST(Processing, Ps6NbcbenchIsTheLargestOverRanksOfEachRanksStatistic) {
  // Medians 3 and 4, means 10 and 4, least 1 and 4, largest 40 and 4.
  const auto numbers =
      process(Processing::kLargestMedian, sample({1, 3, 40, 2, 4}, {4, 4, 4, 4, 4}));
  EXPECT_EQ(numbers.front().name, "median");
  EXPECT_DOUBLE_EQ(number(numbers, "median"), 4);
  EXPECT_DOUBLE_EQ(number(numbers, "mean"), 10);
  EXPECT_DOUBLE_EQ(number(numbers, "min"), 4);
  EXPECT_DOUBLE_EQ(number(numbers, "max"), 40);
}

TEST(Processing, Ps8MpptestIsTheLeastBatchOfRankZero) {
  // The other rank's batches are shorter: nobody looks at them.
  const auto numbers = process(Processing::kLeastBatch, sample({5, 3, 4}, {1, 2, 1}));
  EXPECT_EQ(numbers.front().name, "min");
  EXPECT_DOUBLE_EQ(number(numbers, "min"), 3);
  EXPECT_DOUBLE_EQ(number(numbers, "mean"), 4);
}

TEST(Processing, MediansWithAndWithoutTukeysFilter) {
  // Quartiles 2.25 and 7.75: the fence at 16 leaves 1..9; without it the median is 5.5.
  const std::vector<double> times{1, 2, 3, 4, 5, 6, 7, 8, 9, 1000};
  const PresetSample one = sample(times, std::vector<double>(10, 0));
  EXPECT_DOUBLE_EQ(process(Processing::kFilteredMedian, one).front().time_ns, 5);
  EXPECT_DOUBLE_EQ(process(Processing::kMedian, one).front().time_ns, 5.5);
}

// osu_latency and its sisters time on the rank that sends first, IMB takes the slower one.
TEST(Processing, OfMessagesLooksAtTheInitiatorOrAtTheSlowerRank) {
  PresetSample one = sample({10, 20}, {40, 20});
  one.initiator_ns = one.rank_ns[0];
  EXPECT_EQ(process(Processing::kMeanOfInitiator, one).size(), 1U);
  EXPECT_DOUBLE_EQ(process(Processing::kMeanOfInitiator, one).front().time_ns, 15);
  EXPECT_DOUBLE_EQ(process(Processing::kLargestMean, one).front().time_ns, 30)
      << "the larger of the means, not the mean of the larger ones";
}

TEST(Processing, MpptestPrintsLeastMeanAndLargestOfItsPasses) {
  PresetSample one = sample({10, 20, 60}, {70, 70, 70});
  one.initiator_ns = one.rank_ns[0];
  const auto passes = process(Processing::kLeastOfPasses, one);
  EXPECT_DOUBLE_EQ(number(passes, "min"), 10);
  EXPECT_DOUBLE_EQ(number(passes, "avg"), 30);
  EXPECT_DOUBLE_EQ(number(passes, "max"), 60);
  EXPECT_EQ(passes.front().name, "min");
}

TEST(Processing, WithoutAnInitiatorThereIsNoNumberOfIt) {
  const PresetSample one = sample({1, 2}, {2, 1});
  EXPECT_TRUE(process(Processing::kMeanOfInitiator, one).empty());
  EXPECT_TRUE(process(Processing::kLeastOfPasses, one).empty());
  EXPECT_FALSE(process(Processing::kLargestMean, one).empty());
}

TEST(Processing, WithoutSingleRanksOnlyTheSlowestRankIsKnown) {
  PresetSample one = sample({1, 2}, {2, 1});
  one.rank_ns.clear();
  for (const Processing processing : {Processing::kMeanOfRanks, Processing::kWithoutOutliers,
                                      Processing::kLargestMedian, Processing::kLeastBatch}) {
    EXPECT_TRUE(process(processing, one).empty());
    EXPECT_TRUE(design::needs_ranks(processing));
  }
  EXPECT_FALSE(process(Processing::kMiddleHalf, one).empty());
  EXPECT_FALSE(process(Processing::kMeanOfLargest, one).empty());
}

TEST(Processing, NoRepetitionIsNoNumber) {
  for (const design::Preset& preset : design::presets()) {
    EXPECT_TRUE(process(preset.processing, {}).empty()) << preset.name;
  }
}

}  // namespace
}  // namespace invar::analysis
