#include "stats/test/hodges_lehmann.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/golden.hpp"
#include "stats/test/wilcoxon.hpp"

namespace invar::stats {
namespace {

TEST(HodgesLehmann, AllSamplesAgreeWithR) {
  int intervals = 0;
  for (const golden::Row& row : golden::read("stats_hodges_lehmann.csv")) {
    const bool shift = row.at("kind") == "two";
    const golden::Samples& data = golden::samples(row.at("kind"), row.at("case"));
    const double confidence = *golden::number(row.at("confidence"));
    const LocationEstimate actual = shift ? hodges_lehmann_shift(data.x, data.y, confidence)
                                          : hodges_lehmann(data.x, confidence);
    const std::string what = row.at("kind") + " " + row.at("case") + " " + row.at("confidence");
    golden::expect_close(actual.estimate, *golden::number(row.at("estimate")), 1e-13, what);
    EXPECT_EQ(actual.exact, row.at("exact") == "1") << what;
    const auto low = golden::number(row.at("low"));
    if (what == "one ties10 0.98999999999999999") {
      // R evaluates the statistic at the smallest value, where that value drops out, and finds .99
      // out of reach; below the smallest value it is not: 1 - 2 P(V = 0) = .998 without ties.
      EXPECT_FALSE(low.has_value());
      EXPECT_GT(actual.attainable_confidence, 0.99);
      continue;
    }
    ASSERT_EQ(actual.interval.has_value(), low.has_value()) << what;
    if (low) {
      // Exact ends are members of the set; R finds its normal ones as roots, within 1e-12.
      const double high = *golden::number(row.at("high"));
      const double tolerance = actual.exact ? 0.0 : 1e-11;
      EXPECT_NEAR(actual.interval->low, *low, 1e-13 * std::abs(*low) + tolerance) << what;
      EXPECT_NEAR(actual.interval->high, high, 1e-13 * std::abs(high) + tolerance) << what;
      EXPECT_EQ(actual.interval->confidence, confidence);
      ++intervals;
    }
  }
  EXPECT_GT(intervals, 80);
}

TEST(HodgesLehmann, FiveValuesCannotGiveNinetyFivePercentAndSixCan) {
  const std::vector<double> six{1.0, 2.0, 4.0, 8.0, 16.0, 32.0};
  const LocationEstimate of_five = hodges_lehmann(std::span(six).first(5), 0.95);
  EXPECT_FALSE(of_five.interval.has_value());
  EXPECT_DOUBLE_EQ(of_five.attainable_confidence, 1.0 - 2.0 / 32.0);
  const LocationEstimate of_six = hodges_lehmann(six, 0.95);
  ASSERT_TRUE(of_six.interval.has_value());
  EXPECT_EQ(of_six.interval->low, 1.0);
  EXPECT_EQ(of_six.interval->high, 32.0);
}

TEST(HodgesLehmann, ConfidenceThatIsAttainedExactlyIsGiven) {
  const std::vector<double> five{1.0, 2.0, 4.0, 8.0, 16.0};
  EXPECT_TRUE(hodges_lehmann(five, 1.0 - 2.0 / 32.0).interval.has_value());
}

TEST(HodgesLehmann, SelectionEqualsSortingAllAverages) {
  base::Random random(7);
  for (std::size_t n = 1; n <= 40; ++n) {
    std::vector<double> x(n);
    for (double& value : x) {
      value = static_cast<double>(random.below(30)) - 15.0 + (n % 2 == 0 ? random.uniform() : 0.0);
    }
    std::vector<double> averages;
    std::vector<double> differences;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        differences.push_back(x[i] - 2.0 * x[j]);
        if (i <= j) {
          averages.push_back((x[i] + x[j]) / 2.0);
        }
      }
    }
    std::vector<double> doubled = x;
    std::transform(x.begin(), x.end(), doubled.begin(), [](double v) { return 2.0 * v; });
    EXPECT_DOUBLE_EQ(hodges_lehmann(x).estimate, median(averages)) << n;
    EXPECT_DOUBLE_EQ(hodges_lehmann_shift(x, doubled).estimate, median(differences)) << n;
  }
}

TEST(HodgesLehmannShift, IntervalExcludesZeroExactlyWhereTheTestRejects) {
  base::Random random(11);
  int rejected = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> x(8);
    std::vector<double> y(9);
    for (double& value : x) value = random.uniform();
    for (double& value : y) value = random.uniform() + 0.3;
    const LocationEstimate estimate = hodges_lehmann_shift(x, y, 0.95);
    const bool excludes = estimate.interval->low > 0.0 || estimate.interval->high < 0.0;
    EXPECT_EQ(excludes, *rank_sum_test(x, y).p <= 0.05);
    rejected += excludes ? 1 : 0;
  }
  EXPECT_GT(rejected, 50);
  EXPECT_LT(rejected, 290);
}

TEST(HodgesLehmann, ConstantSampleHasNoInterval) {
  const LocationEstimate estimate = hodges_lehmann(std::vector(60, 3.0));
  EXPECT_EQ(estimate.estimate, 3.0);
  EXPECT_FALSE(estimate.interval.has_value());
  EXPECT_EQ(estimate.attainable_confidence, 0.0);
  EXPECT_FALSE(hodges_lehmann_shift(std::vector(6, 3.0), std::vector(7, 1.0)).interval.has_value());
}

TEST(HodgesLehmann, ThousandsOfValuesNeedNoQuadraticMemory) {
  base::Random random(5);
  std::vector<double> x(5000);
  for (double& value : x) value = random.uniform();
  const LocationEstimate estimate = hodges_lehmann(x);
  EXPECT_NEAR(estimate.estimate, 0.5, 0.02);
  ASSERT_TRUE(estimate.interval.has_value());
  EXPECT_LT(estimate.interval->low, estimate.estimate);
  EXPECT_GT(estimate.interval->high, estimate.estimate);
}

TEST(HodgesLehmann, InvalidInputThrows) {
  const std::vector<double> good{1.0, 2.0};
  EXPECT_THROW(hodges_lehmann(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(hodges_lehmann(std::vector{1.0, golden::kNaN}), std::invalid_argument);
  EXPECT_THROW(hodges_lehmann(good, 0.0), std::invalid_argument);
  EXPECT_THROW(hodges_lehmann(good, 1.0), std::invalid_argument);
  EXPECT_THROW(hodges_lehmann_shift(good, std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(hodges_lehmann_shift(std::vector{golden::kNaN}, good), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
