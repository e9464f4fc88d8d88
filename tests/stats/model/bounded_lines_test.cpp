#include "stats/model/bounded_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"

namespace invar::stats {
namespace {

struct Row {
  std::vector<double> coefficients = {};
  double y = 0;
  double variance = 1;
};

BoundedFit fitted(const std::vector<Row>& rows, std::vector<bool> at_least_0) {
  BoundedLines lines(std::move(at_least_0));
  for (const Row& row : rows) lines.add(row.coefficients, row.y, row.variance);
  return lines.fit();
}

// By normal equations in long double, with the given columns alone: values (0 elsewhere) and
// squares.
struct Plain {
  std::vector<double> values = {};
  double rss = 0;
};

Plain plain_fit(const std::vector<Row>& rows, const std::vector<std::size_t>& columns,
                std::size_t parameters) {
  const std::size_t n = columns.size();
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n + 1));
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < n; ++i) {
      const long double left = row.coefficients[columns[i]] / row.variance;
      for (std::size_t j = 0; j < n; ++j) a[i][j] += left * row.coefficients[columns[j]];
      a[i][n] += left * row.y;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      const long double share = a[k][i] / a[i][i];
      for (std::size_t j = i; j <= n; ++j) a[k][j] -= share * a[i][j];
    }
  }
  Plain fit{.values = std::vector<double>(parameters)};
  for (std::size_t i = 0; i < n; ++i) {
    fit.values[columns[i]] = static_cast<double>(a[i][n] / a[i][i]);
  }
  for (const Row& row : rows) {
    double off = row.y;
    for (std::size_t i = 0; i < parameters; ++i) off -= row.coefficients[i] * fit.values[i];
    fit.rss += off * off / row.variance;
  }
  return fit;
}

TEST(BoundedLines, AreTheBestOfAllSetsOfBounds) {
  base::Random random(77);
  std::size_t on_bound = 0;
  for (int run = 0; run < 200; ++run) {
    const std::size_t n = 1 + random.below(6);
    std::vector<bool> at_least_0(n);
    for (std::size_t i = 0; i < n; ++i) at_least_0[i] = random.below(3) > 0;
    std::vector<Row> rows(n + random.below(30));
    for (Row& row : rows) {
      for (std::size_t i = 0; i < n; ++i) {
        row.coefficients.push_back((random.uniform() - .3) *
                                   std::exp2(10 * static_cast<double>(i)));
      }
      row.y = random.uniform() - .5;
      row.variance = .1 + random.uniform();
    }
    const BoundedFit fit = fitted(rows, at_least_0);
    Plain best{.rss = std::numeric_limits<double>::infinity()};
    for (std::size_t mask = 0; mask < (std::size_t{1} << n); ++mask) {
      std::vector<std::size_t> columns;
      bool allowed = true;
      for (std::size_t i = 0; i < n; ++i) {
        if ((mask >> i) & 1U) columns.push_back(i);
        allowed = allowed && (at_least_0[i] || ((mask >> i) & 1U));
      }
      if (!allowed) continue;
      const Plain one = plain_fit(rows, columns, n);
      for (std::size_t i = 0; i < n; ++i)
        allowed = allowed && (!at_least_0[i] || one.values[i] >= 0);
      if (allowed && one.rss < best.rss) best = one;
    }
    EXPECT_NEAR(fit.rss, best.rss, 1e-9 * (1 + best.rss)) << "run " << run;
    for (std::size_t i = 0; i < n; ++i) {
      const BoundedEstimate& one = fit.parameters[i];
      ASSERT_TRUE(one.value) << "run " << run;
      EXPECT_NEAR(*one.value, best.values[i],
                  1e-7 * (std::exp2(-10 * static_cast<double>(i)) + std::abs(best.values[i])));
      EXPECT_EQ(one.on_bound, at_least_0[i] && best.values[i] == 0);
      EXPECT_EQ(one.standard_error.has_value(), !one.on_bound);
      on_bound += one.on_bound ? 1 : 0;
    }
  }
  EXPECT_GT(on_bound, 100U);
}

// x <- c(1, 2, 3, 4, 5); y <- c(2.1, 3.9, 6.2, 7.8, 10.1); w <- 1 / c(1, 2, 1, 4, 1); m <- lm(y ~
// x, weights = w); coef(m); summary(m)$cov.unscaled; deviance(m)
TEST(BoundedLines, AgreeWithRsLmWithoutBounds) {
  const BoundedFit fit = fitted(
      {{{1, 1}, 2.1, 1}, {{1, 2}, 3.9, 2}, {{1, 3}, 6.2, 1}, {{1, 4}, 7.8, 4}, {{1, 5}, 10.1, 1}},
      {false, false});
  EXPECT_NEAR(fit.parameters[0].value.value(), 0.0732824427480943, 1e-12);
  EXPECT_NEAR(fit.parameters[1].value.value(), 2.0022900763358775, 1e-12);
  EXPECT_NEAR(fit.rss, 0.0509541984732831, 1e-12);
  EXPECT_EQ(fit.df, 3);
  EXPECT_NEAR(fit.covariance[0], 1.25190839694656, 1e-12);
  EXPECT_NEAR(fit.covariance[1], -0.335877862595420, 1e-12);
  EXPECT_NEAR(fit.covariance[3], 0.114503816793893, 1e-12);
  EXPECT_DOUBLE_EQ(fit.covariance[1], fit.covariance[2]);
  EXPECT_DOUBLE_EQ(fit.parameters[1].standard_error.value(), std::sqrt(fit.covariance[3]));
}

TEST(BoundedLines, WhatIsOnItsBoundIsHeldThereInTheErrorsOfTheOthers) {
  // Falls, and must not: the other parameter is the mean of five.
  const BoundedFit fit =
      fitted({{{1, 1}, 10}, {{1, 2}, 9}, {{1, 3}, 8}, {{1, 4}, 7}, {{1, 5}, 6}}, {true, true});
  EXPECT_NEAR(fit.parameters[0].value.value(), 8, 1e-12);
  EXPECT_NEAR(fit.parameters[0].standard_error.value(), std::sqrt(.2), 1e-12);
  EXPECT_EQ(fit.parameters[1].value, 0);
  EXPECT_TRUE(fit.parameters[1].on_bound);
  EXPECT_FALSE(fit.parameters[1].standard_error);
  EXPECT_EQ(fit.df, 4);
}

// The first one is most like y and comes in first; with both others there it would be below 0.
TEST(BoundedLines, WhatCameInFirstMayLeaveAgain) {
  const BoundedFit fit =
      fitted({{{1, 1, 0}, 1}, {{1, 0, 1}, 1}, {{.3, 0, 0}, -.2}}, {true, true, true});
  EXPECT_TRUE(fit.parameters[0].on_bound);
  EXPECT_NEAR(fit.parameters[1].value.value(), 1, 1e-12);
  EXPECT_NEAR(fit.parameters[2].value.value(), 1, 1e-12);
  EXPECT_NEAR(fit.rss, .04, 1e-12);
}

// As a network's: RTT/2 = o_s + L + o_r + s G; sends o_s; receives o_r; trains g + s G. Without
// late receives o_r and L are one number.
TEST(BoundedLines, ParametersThatRowsDoNotTellApartHaveNoValue) {
  enum Parameter : std::size_t { kSend, kLatency, kReceive, kGap, kPerByte, kParameters };
  std::vector<Row> rows;
  for (int i = 0; i < 30; ++i) {
    const double s = std::exp2(i);
    const double variance = (1 + s) * (1 + s);
    rows.push_back({{1, 1, 1, 0, s}, 3000 + .25 * s, variance});
    rows.push_back({{1, 0, 0, 0, 0}, 400, 1});
    rows.push_back({{0, 0, 0, 1, s}, 700 + .25 * s, variance});
  }
  const BoundedFit without = fitted(rows, std::vector<bool>(kParameters, true));
  EXPECT_FALSE(without.parameters[kLatency].value);
  EXPECT_FALSE(without.parameters[kReceive].value);
  EXPECT_FALSE(without.parameters[kReceive].on_bound);
  EXPECT_FALSE(without.parameters[kReceive].standard_error);
  EXPECT_NEAR(without.parameters[kSend].value.value(), 400, 1e-6);
  EXPECT_NEAR(without.parameters[kGap].value.value(), 700, 1e-4);
  EXPECT_NEAR(without.parameters[kPerByte].value.value(), .25, 1e-9);
  rows.push_back({{0, 0, 1, 0, 0}, 600, 1});
  const BoundedFit with = fitted(rows, std::vector<bool>(kParameters, true));
  EXPECT_NEAR(with.parameters[kReceive].value.value(), 600, 1e-6);
  EXPECT_NEAR(with.parameters[kLatency].value.value(), 2000, 1e-3);
  EXPECT_NEAR(with.parameters[kPerByte].value.value(), .25, 1e-9);
}

TEST(BoundedLines, ParameterOfNoRowHasNoValue) {
  const BoundedFit fit = fitted({{{1, 0}, 3}, {{1, 0}, 5}}, {false, true});
  EXPECT_NEAR(fit.parameters[0].value.value(), 4, 1e-12);
  EXPECT_FALSE(fit.parameters[1].value);
  EXPECT_EQ(fit.df, 1);
}

TEST(BoundedLines, WithoutRowsNothingIsDetermined) {
  const BoundedFit fit = fitted({}, {false, true});
  EXPECT_FALSE(fit.parameters[0].value);
  EXPECT_FALSE(fit.parameters[1].value);
  EXPECT_EQ(fit.df, 0);
  EXPECT_TRUE(fitted({}, {}).parameters.empty());
}

TEST(BoundedLines, NonsenseThrows) {
  BoundedLines lines({true, false});
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(lines.add(std::vector<double>{1}, 1, 1), std::invalid_argument);
  EXPECT_THROW(lines.add(std::vector<double>{1, kNaN}, 1, 1), std::invalid_argument);
  EXPECT_THROW(lines.add(std::vector<double>{1, 1}, kNaN, 1), std::invalid_argument);
  EXPECT_THROW(lines.add(std::vector<double>{1, 1}, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
