#include "stats/test/median_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"

namespace invar::stats {
namespace {

TEST(MedianInterval, RanksAreThoseOfTheBinomialDistribution) {
  for (const golden::Row& row : golden::read("stats_median_interval.csv")) {
    const auto n = static_cast<std::size_t>(*golden::number(row.at("n")));
    const std::optional<std::size_t> rank =
        median_interval_rank(n, *golden::number(row.at("confidence")));
    const std::optional<double> expected = golden::number(row.at("rank"));
    const std::string what = row.at("n") + " at " + row.at("confidence");
    ASSERT_EQ(rank.has_value(), expected.has_value()) << what;
    if (rank) {
      EXPECT_EQ(static_cast<double>(*rank), *expected) << what;
    }
  }
}

TEST(MedianInterval, FiveValuesHaveNoneAndSixHaveTheirEnds) {
  const std::vector<double> five{1, 2, 3, 4, 5};
  EXPECT_FALSE(median_interval_sorted(five, 0.95));
  const std::vector<double> six{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(median_interval_sorted(six, 0.95), (Interval{1, 6, 0.95}));
}

// Rounded values are all the same, and say no more than in which step the median lies.
TEST(MedianInterval, IsNeverNarrowerThanAStepOfTheClock) {
  const std::vector<double> same(1000, 200.0);
  EXPECT_EQ(median_interval_sorted(same, 0.95, 10), (Interval{195, 205, 0.95}));
}

// Skewed, and rounded to steps that are as wide as the values scatter.
TEST(MedianInterval, CoversTheMedianOfWhatTheClockRounded) {
  constexpr double kStep = 0.5;
  constexpr int kSamples = 2000;
  const double median = std::log(2.0) + 3.1;
  base::Random random(20161121);
  int covered = 0;
  for (int i = 0; i < kSamples; ++i) {
    std::vector<double> sample(40);
    for (double& value : sample) {
      const double time = 3.1 - std::log(1 - random.uniform());
      value = std::round(time / kStep) * kStep;
    }
    std::ranges::sort(sample);
    const std::optional<Interval> interval = median_interval_sorted(sample, 0.95, kStep);
    covered += interval->low <= median && median <= interval->high ? 1 : 0;
  }
  EXPECT_GE(covered, 0.95 * kSamples);
}

TEST(MedianInterval, InvalidInputThrows) {
  const std::vector<double> empty;
  const std::vector<double> six{1, 2, 3, 4, 5, 6};
  EXPECT_THROW(median_interval_sorted(empty, 0.95), std::invalid_argument);
  EXPECT_THROW(median_interval_sorted(six, 0.95, -1), std::invalid_argument);
  EXPECT_THROW(median_interval_sorted(six, 1), std::invalid_argument);
  EXPECT_THROW(median_interval_rank(6, 0), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
