#include "stats/test/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

double mean_of(std::span<double> x) { return mean(x); }
double median_of(std::span<double> x) { return median_in_place(x); }

std::vector<double> exponential_sample(std::size_t count, base::Random& random) {
  std::vector<double> values(count);
  for (double& value : values) {
    value = -std::log(1.0 - random.uniform());
  }
  return values;
}

TEST(Bootstrap, SameSeedGivesTheSameIntervalAndAnotherSeedAnother) {
  const std::vector<double> values{1.0, 2.0, 4.0, 8.0, 16.0, 17.0};
  base::Random first(1);
  base::Random again(1);
  base::Random other(2);
  const auto interval = bootstrap_percentile(values, mean_of, first);
  EXPECT_EQ(interval, bootstrap_percentile(values, mean_of, again));
  EXPECT_NE(interval, bootstrap_percentile(values, mean_of, other));
}

TEST(Bootstrap, LargeSampleOfTheMeanComesNearTheTInterval) {
  base::Random random(4);
  const std::vector<double> values = exponential_sample(400, random);
  const Interval t = t_test(values)->interval;
  const double width = t.high - t.low;
  for (const auto& interval : {bootstrap_percentile(values, mean_of, random, {.replicates = 5000}),
                               bootstrap_bca(values, mean_of, random, {.replicates = 5000})}) {
    EXPECT_NEAR(interval->low, t.low, 0.1 * width);
    EXPECT_NEAR(interval->high, t.high, 0.1 * width);
  }
}

TEST(BootstrapBca, SkewedSampleMovesTheIntervalTowardsTheLongTail) {
  base::Random random(5);
  const std::vector<double> values = exponential_sample(30, random);
  const auto plain = bootstrap_percentile(values, mean_of, random, {.replicates = 20000});
  const auto corrected = bootstrap_bca(values, mean_of, random, {.replicates = 20000});
  EXPECT_GT(corrected->low, plain->low);
  EXPECT_GT(corrected->high, plain->high);
}

TEST(BootstrapBca, CoverageOfTheMedianOfSkewedDataIsNearTheAskedOne) {
  base::Random random(6);
  int covered = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<double> values = exponential_sample(25, random);
    const auto interval = bootstrap_bca(values, median_of, random, {.replicates = 400});
    covered +=
        interval && interval->low <= std::log(2.0) && interval->high >= std::log(2.0) ? 1 : 0;
  }
  EXPECT_GT(covered, kTrials * 88 / 100);
  EXPECT_LT(covered, kTrials * 99 / 100);
}

TEST(BootstrapBca, ReplicatesTiedWithTheEstimateCauseNoBias) {
  // Symmetric, and the median of most resamples equals that of the sample.
  const std::vector<double> values{-1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  base::Random random(7);
  const auto interval = bootstrap_bca(values, median_of, random);
  EXPECT_EQ(interval->low, -1.0);
  EXPECT_EQ(interval->high, 1.0);
}

TEST(Bootstrap, SingleValueAndOneSidedReplicatesDoNotExist) {
  base::Random random(1);
  EXPECT_FALSE(bootstrap_percentile(std::vector{1.0}, mean_of, random).has_value());
  EXPECT_FALSE(bootstrap_bca(std::vector{1.0}, mean_of, random).has_value());
  // No resample has more distinct values than the sample: the estimate is the end of its own
  // distribution.
  const Statistic grows = [](std::span<double> x) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] == x[0] ? 0.0 : 1.0;
    return x[0] == 1.0 && x[1] == 2.0 && x[2] == 3.0 ? 100.0 + static_cast<double>(x.size()) : sum;
  };
  std::vector<double> values(30);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  EXPECT_FALSE(bootstrap_bca(values, grows, random, {.replicates = 100}).has_value());
}

TEST(Bootstrap, InvalidInputThrows) {
  base::Random random(1);
  const std::vector<double> good{1.0, 2.0, 3.0};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Statistic broken = [nan](std::span<double>) { return nan; };
  EXPECT_THROW(bootstrap_percentile(std::vector<double>{}, mean_of, random), std::invalid_argument);
  EXPECT_THROW(bootstrap_percentile(std::vector{nan}, mean_of, random), std::invalid_argument);
  EXPECT_THROW(bootstrap_percentile(good, broken, random), std::invalid_argument);
  EXPECT_THROW(bootstrap_bca(good, mean_of, random, {.replicates = 99}), std::invalid_argument);
  EXPECT_THROW(bootstrap_bca(good, mean_of, random, {.confidence = 1.0}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
