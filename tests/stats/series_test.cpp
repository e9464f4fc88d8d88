#include "stats/series.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "golden.hpp"

namespace invar::stats {
namespace {

TEST(Lag1Autocorrelation, AllSamplesAgreeWithR) {
  for (const golden::Row& row : golden::read("stats_summary.csv")) {
    const std::vector<double>& x = golden::samples("one", row.at("case")).x;
    const std::optional<double> actual = lag1_autocorrelation(x);
    const std::optional<double> expected = golden::number(row.at("lag1"));
    ASSERT_EQ(actual.has_value(), expected.has_value()) << row.at("case");
    if (actual) {
      // At 1e9 +- 1 the rounding of the mean alone is 1e-7 of the spread, in R as here.
      EXPECT_NEAR(*actual, *expected, row.at("case") == "offset" ? 1e-7 : 1e-10) << row.at("case");
    }
  }
}

TEST(EffectiveSampleSize, AutoregressiveSeriesShrinksByTheKnownFactor) {
  base::Random random(8);
  std::vector<double> series(50000);
  double state = 0.0;
  for (double& value : series) {
    state = 0.5 * state + random.uniform() - 0.5;
    value = state;
  }
  EXPECT_NEAR(effective_sample_size(series) / 50000.0, 1.0 / 3.0, 0.02);
}

TEST(EffectiveSampleSize, AlternatingOrConstantOrShortSeriesCountFully) {
  EXPECT_EQ(effective_sample_size(std::vector{1.0, -1.0, 1.0, -1.0, 1.0, -1.0}), 6.0);
  EXPECT_EQ(effective_sample_size(std::vector{2.0, 2.0, 2.0}), 3.0);
  EXPECT_EQ(effective_sample_size(std::vector{2.0}), 1.0);
}

TEST(Series, EmptyThrows) {
  EXPECT_THROW(lag1_autocorrelation(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(effective_sample_size(std::vector<double>{}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
