#include "stats/model/trend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "stats/model/line.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

using Controls = std::vector<std::span<const double>>;

// t <- c(0, 1, 2, 3.5, 4, 5.5, 6, 7); y <- c(1, 3, 2, 5, 4, 8, 6, 7); m <- lm(y ~ t); summary(m)
// p <- poly(t, 4); s <- crossprod(p[, 2:3], resid(m)); sqrt(sum(s^2) / 2 / sum((t - mean(t))^2))
TEST(Trend, AgreesWithRsLmAndPoly) {
  const std::vector<double> t{0, 1, 2, 3.5, 4, 5.5, 6, 7};
  const std::vector<double> y{1, 3, 2, 5, 4, 8, 6, 7};
  const TrendFit fit = fit_trend(t, y, {}, 2);
  EXPECT_NEAR(fit.slope, 0.899135446686, 1e-9);
  EXPECT_NEAR(fit.ordinary_error, 0.163225386265, 1e-9);
  EXPECT_EQ(fit.ordinary_df, 6);
  EXPECT_NEAR(fit.slow_error, 0.0855533805404, 1e-9);
  EXPECT_EQ(fit.slow_df, 2);
}

// c <- c(1, 2, 1, 3, 2, 4, 3, 3); summary(lm(y ~ t + c))
TEST(Trend, AControlIsTakenOutAsInRsLm) {
  const std::vector<double> t{0, 1, 2, 3.5, 4, 5.5, 6, 7};
  const std::vector<double> y{1, 3, 2, 5, 4, 8, 6, 7};
  const std::vector<double> control{1, 2, 1, 3, 2, 4, 3, 3};
  const TrendFit fit = fit_trend(t, y, Controls{control}, 2);
  EXPECT_NEAR(fit.slope, 0.400881057269, 1e-9);
  EXPECT_NEAR(fit.ordinary_error, 0.0789545084216, 1e-9);
  EXPECT_EQ(fit.ordinary_df, 5);
}

TEST(Trend, LargeOffsetsCostNoPrecision) {
  std::vector<double> t;
  std::vector<double> y;
  for (int i = 0; i < 20; ++i) {
    t.push_back(1e6 + i);
    y.push_back(1e15 + 13 * i);
  }
  EXPECT_NEAR(fit_trend(t, y, {}, 2).slope, 13, 1e-9);
}

TEST(Trend, FewPointsHaveFewShapesOrNone) {
  const std::vector<double> t{0, 1, 2, 3};
  const std::vector<double> y{0, 1, 1, 3};
  const auto of = [&](std::size_t points) {
    return fit_trend(std::span(t).first(points), std::span(y).first(points), {}, 2);
  };
  EXPECT_FALSE(of(2).interval(0.95));
  EXPECT_EQ(of(3).slow_df, 1);
  EXPECT_TRUE(of(3).interval(0.95));
  EXPECT_EQ(of(4).slow_df, 2);
}

TEST(Trend, WhatIsNoTrendThrows) {
  const std::vector<double> one{1};
  const std::vector<double> two{1, 2};
  const std::vector<double> equal{3, 3};
  const std::vector<double> bad{1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(fit_trend(one, one, {}, 2), std::invalid_argument);
  EXPECT_THROW(fit_trend(two, one, {}, 2), std::invalid_argument);
  EXPECT_THROW(fit_trend(equal, two, {}, 2), std::invalid_argument);
  EXPECT_THROW(fit_trend(two, bad, {}, 2), std::invalid_argument);
  EXPECT_THROW(fit_trend(two, two, Controls{two}, 2), std::invalid_argument);
}

// Errors whose neighbours have this correlation.
struct Coverage {
  int trend = 0, ordinary = 0;
};
Coverage coverage_of(double correlation, std::size_t points, int series) {
  std::mt19937_64 random(20160412);
  std::normal_distribution<double> normal;
  Coverage covered;
  for (int s = 0; s < series; ++s) {
    std::vector<double> t;
    std::vector<double> y;
    double error = normal(random) / std::sqrt(1 - correlation * correlation);
    for (std::size_t i = 0; i < points; ++i) {
      t.push_back(static_cast<double>(i));
      y.push_back(50 * static_cast<double>(i) + error);
      error = correlation * error + normal(random);
    }
    const auto holds = [](const Interval& interval) {
      return interval.low <= 50 && 50 <= interval.high;
    };
    covered.trend += holds(*fit_trend(t, y, {}, 2).interval(0.95)) ? 1 : 0;
    const LineFit line = fit_line(t, y);
    covered.ordinary +=
        holds(t_interval(line.slope, line.slope_standard_error, line.df, 0.95)) ? 1 : 0;
  }
  return covered;
}

TEST(Trend, IntervalsCoverTheSlopeThoughNeighboursErrAlike) {
  constexpr int kSeries = 1000;
  for (const std::size_t points : {std::size_t{21}, std::size_t{41}, std::size_t{121}}) {
    const Coverage six = coverage_of(0.6, points, kSeries);
    EXPECT_GE(six.trend, 930) << points;
    EXPECT_LE(six.ordinary, 750) << points << ": the guard has nothing to guard against";
    EXPECT_GE(coverage_of(0, points, kSeries).trend, 940) << points;
  }
}

}  // namespace
}  // namespace invar::stats
