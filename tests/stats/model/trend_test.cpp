#include "stats/model/trend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "simulations.hpp"
#include "stats/model/line.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

using Controls = std::vector<std::span<const double>>;

// t <- c(0, 1, 2, 3.5, 4, 5.5, 6, 7); y <- c(1, 3, 2, 5, 4, 8, 6, 7); m <- lm(y ~ t); summary(m)
// With V the covariance of noise 1 and a walk of 16 / 8 / 7 a unit of time from t[1] on, w <-
// solve(t(chol(V))): summary(lm(I(w %*% y) ~ 0 + I(w %*% rep(1, 8)) + I(w %*% t)))
TEST(Trend, AgreesWithRsLm) {
  const std::vector<double> t{0, 1, 2, 3.5, 4, 5.5, 6, 7};
  const std::vector<double> y{1, 3, 2, 5, 4, 8, 6, 7};
  const TrendFit fit = fit_trend(t, y, {});
  EXPECT_NEAR(fit.slope, 0.899135446686, 1e-9);
  EXPECT_NEAR(fit.ordinary_error, 0.163225386265, 1e-9);
  EXPECT_EQ(fit.df, 6);
  const auto walk = std::find_if(fit.components.begin(), fit.components.end(),
                                 [](const TrendComponent& one) { return one.walk == 16; });
  ASSERT_NE(walk, fit.components.end());
  EXPECT_NEAR(walk->slope, 0.8816638715264, 1e-9);
  EXPECT_NEAR(walk->error, 0.2658996108658, 1e-9);
}

// With X <- cbind(1, t), A <- t(X) %*% solve(V, X) and rss the weighted squares that are left, the
// restricted likelihood is l <- -(log(det(V)) + log(det(A)) + 6 * log(rss)) / 2; exp(l) * sqrt(r)
// over r <- c(1, 2, 4, 8, 16, 32, 64), V with a walk of r^2 / 8 / 7 a unit of time, and its shares.
TEST(Trend, WeightsAreRestrictedLikelihoodsTimesTheRootOfTheDeviation) {
  const std::vector<double> t{0, 1, 2, 3.5, 4, 5.5, 6, 7};
  const std::vector<double> y{1, 3, 2, 5, 4, 8, 6, 7};
  std::vector<double> weights;
  for (const TrendComponent& one : fit_trend(t, y, {}).components) weights.push_back(one.weight);
  EXPECT_THAT(weights,
              testing::Pointwise(testing::DoubleNear(1e-9),
                                 {0.108747305620, 0.146727766267, 0.177202817371, 0.169420471792,
                                  0.133780288324, 0.121320783129, 0.142800567496}));
}

// c <- c(1, 2, 1, 3, 2, 4, 3, 3); summary(lm(y ~ t + c))
TEST(Trend, AControlIsTakenOutAsInRsLm) {
  const std::vector<double> t{0, 1, 2, 3.5, 4, 5.5, 6, 7};
  const std::vector<double> y{1, 3, 2, 5, 4, 8, 6, 7};
  const std::vector<double> control{1, 2, 1, 3, 2, 4, 3, 3};
  const TrendFit fit = fit_trend(t, y, Controls{control});
  EXPECT_NEAR(fit.slope, 0.400881057269, 1e-9);
  EXPECT_NEAR(fit.ordinary_error, 0.0789545084216, 1e-9);
  EXPECT_EQ(fit.df, 5);
}

TEST(Trend, LargeOffsetsCostNoPrecision) {
  std::vector<double> t;
  std::vector<double> y;
  for (int i = 0; i < 20; ++i) {
    t.push_back(1e6 + i);
    y.push_back(1e15 + 13 * i);
  }
  EXPECT_NEAR(fit_trend(t, y, {}).slope, 13, 1e-9);
}

TEST(Trend, TwoPointsHaveNoIntervalAndThreeHave) {
  const std::vector<double> t{0, 1, 2};
  const std::vector<double> y{0, 1, 1};
  EXPECT_FALSE(fit_trend(std::span(t).first(2), std::span(y).first(2), {}).interval(0.95));
  EXPECT_TRUE(fit_trend(t, y, {}).interval(0.95));
}

TEST(Trend, PointsOnALineHaveAnIntervalWithoutLength) {
  const std::vector<double> t{0, 1, 2, 3, 4};
  const std::vector<double> y{1, 3, 5, 7, 9};
  const std::optional<Interval> interval = fit_trend(t, y, {}).interval(0.95);
  EXPECT_NEAR(interval->low, 2, 1e-9);
  EXPECT_NEAR(interval->high, 2, 1e-9);
}

TEST(Trend, AControlThatNeverMovesIsLeftOut) {
  const std::vector<double> t{0, 1, 2, 3, 4};
  const std::vector<double> y{1, 3, 4, 7, 9};
  const std::vector<double> control(5, 7.0);
  EXPECT_NEAR(fit_trend(t, y, Controls{control}).slope, fit_trend(t, y, {}).slope, 1e-12);
}

TEST(Trend, WhatIsNoTrendThrows) {
  const std::vector<double> one{1};
  const std::vector<double> two{1, 2};
  const std::vector<double> equal{3, 3};
  const std::vector<double> bad{1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(fit_trend(one, one, {}), std::invalid_argument);
  EXPECT_THROW(fit_trend(two, one, {}), std::invalid_argument);
  EXPECT_THROW(fit_trend(equal, two, {}), std::invalid_argument);
  EXPECT_THROW(fit_trend(two, bad, {}), std::invalid_argument);
  EXPECT_THROW(fit_trend(two, two, Controls{two}), std::invalid_argument);
}

// Errors whose neighbours have this correlation, and a random walk with this step beside them; a
// control that is not part of them.
struct Errors {
  double correlation = 0, step = 0;
  bool control = false;
};
struct Coverage {
  int trend = 0, ordinary = 0;
  double length_ratio = 0;  // mean of the trend's interval over the ordinary one's
};
Coverage coverage_of(const Errors& errors, std::size_t points, std::size_t series) {
  std::mt19937_64 random(20160412);
  std::normal_distribution<double> normal;
  Coverage covered;
  const double correlation = errors.correlation;
  for (std::size_t s = 0; s < series; ++s) {
    std::vector<double> t;
    std::vector<double> y;
    std::vector<double> machine;
    double error = normal(random) / std::sqrt(1 - correlation * correlation);
    double walk = 0;
    double load = 0;
    for (std::size_t i = 0; i < points; ++i) {
      load = 0.6 * load + normal(random);
      machine.push_back(100 + load);
      t.push_back(static_cast<double>(i));
      y.push_back(50 * t.back() + error + walk + (errors.control ? 2 * load : 0));
      error = correlation * error + normal(random);
      walk += errors.step * normal(random);
    }
    const auto holds = [](const Interval& interval) {
      return interval.low <= 50 && 50 <= interval.high;
    };
    Controls controls;
    if (errors.control) controls.emplace_back(machine);
    const Interval trend = *fit_trend(t, y, controls).interval(0.95);
    covered.trend += holds(trend) ? 1 : 0;
    const LineFit line = fit_line(t, y);
    const Interval ordinary = t_interval(line.slope, line.slope_standard_error, line.df, 0.95);
    covered.ordinary += holds(ordinary) ? 1 : 0;
    covered.length_ratio +=
        (trend.high - trend.low) / (ordinary.high - ordinary.low) / static_cast<double>(series);
  }
  return covered;
}

TEST(Trend, IntervalsCoverTheSlopeThoughErrorsWander) {
  const std::size_t series = test::simulations(150);
  const int least = test::least_successes(series, 0.95);
  for (const std::size_t points : {std::size_t{11}, std::size_t{21}, std::size_t{61}}) {
    EXPECT_GE(coverage_of({}, points, series).trend, least) << points;
    EXPECT_GE(coverage_of({.correlation = 0.6}, points, series).trend, least) << points;
    for (const double step : {0.1, 0.5, 5.0}) {
      EXPECT_GE(coverage_of({.step = step}, points, series).trend, least) << points << ' ' << step;
    }
  }
  const auto most = static_cast<int>(0.8 * static_cast<double>(series));
  EXPECT_LE(coverage_of({.correlation = 0.6}, 21, series).ordinary, most)
      << "the guard has nothing to guard against";
  EXPECT_LE(coverage_of({.step = 0.5}, 21, series).ordinary, most);
}

// An interval that says nothing would cover everything. What few points do not tell from a walk
// costs three to five times the length.
TEST(Trend, IntervalsBesideWhiteNoiseAreAFewTimesAsLongAsOfIndependentErrors) {
  const std::size_t series = test::simulations(150);
  for (const std::size_t points : {std::size_t{11}, std::size_t{21}, std::size_t{61}}) {
    const double ratio = coverage_of({}, points, series).length_ratio;
    EXPECT_GT(ratio, 1) << points;
    EXPECT_LT(ratio, 6) << points;
  }
}

// The case of run-times over time: some bins, and the machine's own changes beside them.
TEST(Trend, IntervalsCoverTheSlopeBesideAControl) {
  const std::size_t series = test::simulations(150);
  const int least = test::least_successes(series, 0.95);
  for (const std::size_t points : {std::size_t{10}, std::size_t{20}}) {
    for (const double correlation : {0.0, 0.6, 0.8}) {
      EXPECT_GE(coverage_of({.correlation = correlation, .control = true}, points, series).trend,
                least)
          << points << ' ' << correlation;
    }
  }
}

}  // namespace
}  // namespace invar::stats
