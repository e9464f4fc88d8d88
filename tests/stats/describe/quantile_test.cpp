#include "stats/describe/quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"

namespace invar::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a clock with this step reads for a true duration that starts at a random phase.
std::vector<double> quantised(double true_value, double noise, double step, std::size_t count,
                              base::Random& random) {
  std::vector<double> readings(count);
  for (double& reading : readings) {
    const double start = random.uniform() * step;
    const double end = start + true_value + noise * (random.uniform() - 0.5);
    reading = (std::floor(end / step) - std::floor(start / step)) * step;
  }
  return readings;
}

TEST(Quantile, AllSamplesAgreesWithR) {
  for (const golden::Row& row : golden::read("stats_quantile.csv")) {
    std::vector<double> x = golden::samples("one", row.at("case")).x;
    const double probability = *golden::number(row.at("probability"));
    const double expected = *golden::number(row.at("value"));
    const std::string what = row.at("case") + " at " + row.at("probability");
    golden::expect_close(quantile(x, probability), expected, 1e-14, what);
    golden::expect_close(quantile_in_place(x, probability), expected, 1e-14, what + " in place");
    std::sort(x.begin(), x.end());
    golden::expect_close(quantile_sorted(x, probability), expected, 1e-14, what + " sorted");
  }
}

TEST(Quantile, InvalidInputThrows) {
  const std::vector<double> empty;
  EXPECT_THROW(quantile(empty, 0.5), std::invalid_argument);
  EXPECT_THROW(quantile(std::vector{1.0, golden::kNaN}, 0.5), std::invalid_argument);
  EXPECT_THROW(quantile(std::vector{1.0, kInfinity}, 0.5), std::invalid_argument);
  EXPECT_THROW(quantile(std::vector{1.0}, -0.1), std::invalid_argument);
  EXPECT_THROW(quantile(std::vector{1.0}, 1.1), std::invalid_argument);
  EXPECT_THROW(quantile(std::vector{1.0}, golden::kNaN), std::invalid_argument);
  EXPECT_THROW(quantile_sorted(empty, 0.5), std::invalid_argument);
  EXPECT_THROW(median(empty), std::invalid_argument);
  EXPECT_THROW(grouped_median(empty, 1.0), std::invalid_argument);
  EXPECT_THROW(grouped_median(std::vector{1.0}, -1.0), std::invalid_argument);
  EXPECT_THROW(grouped_median(std::vector{1.0}, golden::kNaN), std::invalid_argument);
}

TEST(Median, AllSamplesAgreesWithR) {
  for (const golden::Row& row : golden::read("stats_summary.csv")) {
    const std::vector<double>& x = golden::samples("one", row.at("case")).x;
    golden::expect_close(median(x), *golden::number(row.at("median")), 1e-15, row.at("case"));
  }
}

TEST(GroupedMedian, StepZeroIsThePlainMedian) {
  EXPECT_EQ(grouped_median(std::vector{3.0, 1.0, 2.0}, 0.0), 2.0);
  EXPECT_EQ(grouped_median(std::vector{4.0, 1.0, 2.0, 3.0}, 0.0), 2.5);
}

TEST(GroupedMedian, TextbookFrequenciesGiveTheTextbookFormula) {
  // 3 times 10, 5 times 20, 2 times 30: L = 15, n/2 - F = 2, f = 5: 15 + 10 * 2 / 5.
  const std::vector<double> values{10, 10, 10, 20, 20, 20, 20, 20, 30, 30};
  EXPECT_DOUBLE_EQ(grouped_median(values, 10.0), 19.0);
}

TEST(GroupedMedian, WithoutTiesIsThePlainMedian) {
  EXPECT_DOUBLE_EQ(grouped_median(std::vector{10.0, 30.0, 20.0}, 10.0), 20.0);
  EXPECT_DOUBLE_EQ(grouped_median(std::vector{7.0}, 10.0), 7.0);
}

TEST(GroupedMedian, AllTiedIsThatValue) {
  EXPECT_DOUBLE_EQ(grouped_median(std::vector{40.0, 40.0, 40.0, 40.0}, 10.0), 40.0);
}

TEST(GroupedMedian, HalfBelowAGapIsTheMiddleOfTheGap) {
  EXPECT_DOUBLE_EQ(grouped_median(std::vector{10.0, 10.0, 20.0, 20.0}, 10.0), 15.0);
  EXPECT_DOUBLE_EQ(grouped_median(std::vector{10.0, 10.0, 80.0, 80.0}, 10.0), 45.0);
}

TEST(GroupedMedian, TicksConvertedWithRoundingStillCountAsTied) {
  // Ticks of 10 ns stored as picoseconds: the same tick may come out one picosecond apart.
  const std::vector<double> exact{180, 190, 190, 190, 200};
  const std::vector<double> rounded{180.001, 190, 190.001, 189.999, 200};
  EXPECT_NEAR(grouped_median(rounded, 10.0), grouped_median(exact, 10.0), 0.01);
}

TEST(GroupedMedian, InPlaceGivesTheSame) {
  base::Random random(3);
  for (std::size_t count = 1; count < 60; ++count) {
    std::vector<double> values = quantised(205.0, 30.0, 10.0, count, random);
    const double expected = grouped_median(values, 10.0);
    EXPECT_EQ(grouped_median_in_place(values, 10.0), expected) << count;
  }
}

// Mistake 4 of the existing tools, and the reason for this estimator: a clock with 10 ns steps
// makes medians of a 200 ns operation equal, however different the operations are.
TEST(GroupedMedian, TwoPercentAtTwentyStepsIsSeenWhereThePlainMedianSeesNothing) {
  base::Random random(20161121);
  const std::vector<double> fast = quantised(200.0, 12.0, 10.0, 5000, random);
  const std::vector<double> slow = quantised(204.0, 12.0, 10.0, 5000, random);
  EXPECT_EQ(median(fast), median(slow));
  const double ratio = grouped_median(slow, 10.0) / grouped_median(fast, 10.0);
  EXPECT_GT(ratio, 1.01);
  EXPECT_LT(ratio, 1.03);
}

TEST(QuantileInPlace, MillionsOfTiedOrSortedValuesAreSelectedFromTheGivenMemory) {
  std::vector<double> values(2000000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t tie = i / 2000;
    values[i] = static_cast<double>(tie);
  }
  EXPECT_EQ(quantile_in_place(values, 0.25), 249.75);
  EXPECT_EQ(median_in_place(values), 499.5);
  EXPECT_EQ(grouped_median_in_place(values, 1.0), 499.5);
}

}  // namespace
}  // namespace invar::stats
