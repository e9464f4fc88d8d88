// What inference.hpp offers beyond paired cells: unpaired launches, mixed families, sample sizes.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "stats/decide/inference.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

const std::vector<double> kLogA{5.00, 5.04, 4.98, 5.01};
const std::vector<double> kLogB{5.20, 5.35, 5.25, 5.15, 5.30};

TEST(EstimateRatioUnpaired, TwoSamplesGiveWelchsTestOnTheLogs) {
  const RatioEstimate estimate = estimate_ratio_unpaired({.log_a = kLogA, .log_b = kLogB}, 0.95);
  const TTest welch = *t_test_welch(kLogA, kLogB);
  EXPECT_NEAR(*estimate.p, welch.p, 1e-12);
  EXPECT_NEAR(estimate.ratio, std::exp(welch.estimate), 1e-12);
  EXPECT_NEAR(estimate.interval->low, std::exp(welch.interval.low), 1e-12);
  EXPECT_NEAR(estimate.interval->high, std::exp(welch.interval.high), 1e-12);
  EXPECT_EQ(estimate.groups, 4U);
}

TEST(EstimateRatioUnpaired, ASingleLaunchOfOneArmHasNeitherIntervalNorP) {
  const std::vector<double> single{5.0};
  const RatioEstimate estimate = estimate_ratio_unpaired({.log_a = single, .log_b = kLogB}, 0.95);
  EXPECT_FALSE(estimate.p.has_value());
  EXPECT_FALSE(estimate.interval.has_value());
  EXPECT_EQ(estimate.groups, 1U);
}

TEST(EstimateRatioUnpaired, ConstantLaunchesAreAsWideAsTheClocksFloor) {
  const std::vector<double> constant{5.0, 5.0, 5.0};
  EXPECT_FALSE(estimate_ratio_unpaired({.log_a = constant, .log_b = constant}, 0.95).interval);
  const RatioEstimate floored = estimate_ratio_unpaired(
      {.log_a = constant, .log_b = constant, .variance_floor_a = 1e-4, .variance_floor_b = 1e-4},
      0.95);
  ASSERT_TRUE(floored.interval.has_value());
  EXPECT_GT(floored.interval->high, 1.01);
}

TEST(GroupsNeeded, TheNumberIsTheSmallestThatIsPreciseEnough) {
  const double sd = 0.05;
  const double half_width = std::log1p(0.02);
  const std::size_t n = *groups_needed(sd, half_width, 0.95);
  const auto width = [&](std::size_t groups) {
    const double g = static_cast<double>(groups);
    return t_quantile(0.975, g - 1.0) * sd / std::sqrt(g);
  };
  EXPECT_LE(width(n), half_width);
  EXPECT_GT(width(n - 1), half_width);
}

TEST(GroupsNeeded, ConstantDifferencesNeedTwoAndHopelessOnesHaveNoNumber) {
  EXPECT_EQ(groups_needed(0.0, 0.02, 0.95), 2U);
  EXPECT_FALSE(groups_needed(100.0, 1e-3, 0.95).has_value());
  EXPECT_THROW((void)groups_needed(0.1, 0.0, 0.95), std::invalid_argument);
}

TEST(JudgeTable, PairedAndUnpairedQuestionsShareOneCorrection) {
  const std::vector<double> d{-0.20, -0.21, -0.19, -0.20};
  const std::vector<TableTest> family{
      {.estimate = [&](double confidence) { return estimate_ratio({.d = d}, confidence); }},
      {.estimate = [&](double confidence) {
        return estimate_ratio_unpaired({.log_a = kLogB, .log_b = kLogB}, confidence);
      }}};
  const std::vector<TableRow> rows = judge_table(family, {});
  EXPECT_NEAR(*rows[0].p_adjusted, 2.0 * *rows[0].plain.p, 1e-12);
  EXPECT_EQ(rows[0].verdict, Verdict::kFaster);
  EXPECT_EQ(rows[1].verdict, Verdict::kUndecided);
}

// As of an F test, which has neither a ratio nor a direction.
TEST(JudgeTable, ATestWithoutARatioCountsWithItsP) {
  const std::vector<TableTest> tests{
      {.estimate = [](double) { return RatioEstimate{.p = 0.001, .groups = 5}; }},
      {.estimate = [](double) { return RatioEstimate{.p = 0.5, .groups = 5}; }}};
  const std::vector<TableRow> rows = judge_table(tests, {});
  EXPECT_NEAR(*rows[0].p_adjusted, 0.002, 1e-12);
  EXPECT_TRUE(rows[0].rejected);
}

}  // namespace
}  // namespace invar::stats
