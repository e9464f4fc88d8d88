#include "analysis/study/times.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/planted.hpp"
#include "stats/test/hodges_lehmann.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

TEST(TimeEstimate, SixLaunchesAndMoreGiveHodgesAndLehmannsEstimate) {
  const std::vector<double> medians{100, 103, 99, 108, 101, 250};
  const stats::LocationEstimate expected = stats::hodges_lehmann(medians, 0.95);
  const auto estimate = time_estimate(medians, 0.95);
  EXPECT_DOUBLE_EQ(estimate->median_ns, expected.estimate);
  EXPECT_EQ(estimate->interval_ns, expected.interval);
}

TEST(TimeEstimate, FewerLaunchesGiveATIntervalOnTheLogs) {
  const std::vector<double> medians{100, 103, 99, 108};
  std::vector<double> logs;
  logs.reserve(medians.size());
  for (const double median : medians) logs.push_back(std::log(median));
  const stats::TTest test = *stats::t_test(logs);
  const auto estimate = time_estimate(medians, 0.95);
  EXPECT_DOUBLE_EQ(estimate->median_ns, std::exp(test.estimate));
  EXPECT_NEAR(estimate->interval_ns->low, std::exp(test.interval.low), 1e-9);
  EXPECT_NEAR(estimate->interval_ns->high, std::exp(test.interval.high), 1e-9);
}

TEST(TimeEstimate, ConstantLaunchesAreAsWideAsTheClocksFloor) {
  const std::vector<double> medians{100, 100, 100};
  EXPECT_FALSE(time_estimate(medians, 0.95)->interval_ns.has_value());
  EXPECT_GT(time_estimate(medians, 0.95, 1e-4)->interval_ns->high, 101);
}

TEST(TimeEstimate, OneLaunchHasAnIntervalFromThreeVisitsOn) {
  planted::Plan plan;
  plan.groups = 1;
  const auto of_rounds = [&](std::uint32_t rounds) {
    plan.rounds = rounds;
    const store::Data data = planted::data(plan);
    const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
    return *time_estimate(sort_visits(summaries.visits, 3, 2)[0][0], 0.95);
  };
  EXPECT_FALSE(of_rounds(2).interval_ns.has_value());
  const TimeEstimate three = of_rounds(3);
  ASSERT_TRUE(three.interval_ns.has_value());
  EXPECT_LE(three.interval_ns->low, three.median_ns);
  EXPECT_GE(three.interval_ns->high, three.median_ns);
}

TEST(TimeEstimate, NoLaunchHasNoEstimate) {
  EXPECT_FALSE(time_estimate(std::vector<double>{}, 0.95).has_value());
  EXPECT_FALSE(time_estimate(CellVisits{}, 0.95).has_value());
}

std::string words_of(std::initializer_list<std::size_t> numbers_of_launches) {
  EstimateWords words;
  for (const std::size_t launches : numbers_of_launches) {
    words.add(time_estimate(std::vector<double>(launches, 100.0), 0.95));
  }
  return words.text();
}

TEST(EstimateWords, ATableSaysWhatEachOfItsTimesIs) {
  EXPECT_EQ(words_of({6, 38}), "Hodges-Lehmann estimate");
  EXPECT_EQ(words_of({1}), "median");
  EXPECT_EQ(words_of({3, 5}), "geometric mean");
  EXPECT_EQ(words_of({3, 8}), "Hodges-Lehmann estimate (below six: geometric mean)");
  EXPECT_EQ(words_of({8, 1, 2}),
            "Hodges-Lehmann estimate (below six: geometric mean, of one: its median)");
  EXPECT_EQ(words_of({0}), "");
}

}  // namespace
}  // namespace invar::analysis
