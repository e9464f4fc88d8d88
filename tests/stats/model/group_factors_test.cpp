#include "stats/model/group_factors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "simulations.hpp"
#include "stats/model/simulated_pieces.hpp"

namespace invar::stats {
namespace {

using Times = std::vector<GroupTime>;

double factor_of(const GroupedTimes& times, std::size_t group) {
  for (const GroupFactor& one : times.factors().groups) {
    if (one.group == group) return one.log_factor.value();
  }
  throw std::out_of_range("no such group");
}

// s <- factor(c(1, 2, 3, 2, 3, 4, 1, 2, 4)); g <- factor(rep(1:3, each = 3)); t <- as below; m <-
// lm(log(t) ~ 0 + s + g); f <- c(0, coef(m)[5:6]); shift <- mean(f[g]); f - shift; exp(coef(m)[1:4]
// + shift). No residual is beyond the bound.
TEST(GroupFactors, AgreeWithRsLmWhereNothingIsFarOff) {
  const Times times{{1, 1, 88.7},  {1, 2, 184.6}, {1, 3, 266.1}, {2, 2, 206.1}, {2, 3, 321.8},
                    {2, 4, 412.2}, {3, 1, 108.3}, {3, 2, 216.7}, {3, 4, 451.0}};
  const GroupedTimes grouped(times);
  EXPECT_NEAR(factor_of(grouped, 1), -0.1140063645600393, 1e-9);
  EXPECT_NEAR(factor_of(grouped, 2), 0.0280222431298982, 1e-9);
  EXPECT_NEAR(factor_of(grouped, 3), 0.0859841214301410, 1e-9);
  const std::vector<double> means{99.3941882085383, 202.0177516177479, 305.4827361861817,
                                  407.2734477750008};
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_NEAR(grouped.factors().sizes[s].mean, means[s], 1e-7);
    EXPECT_EQ(grouped.factors().sizes[s].bounded, 0U);
  }
}

TEST(GroupFactors, ExactFactorsAreFoundThoughNoSizeIsInAllGroups) {
  // A chain of groups, each of which shares two sizes with the next one.
  const std::vector<double> factors{.9, 1.1, 1.3, .8, 1};
  Times times;
  for (std::size_t g = 0; g < factors.size(); ++g) {
    for (std::size_t s = 2 * g; s < 2 * g + 4; ++s) {
      const double size = std::exp2(static_cast<double>(s));
      times.push_back({.group = 10 + g, .size = size, .mean = factors[g] * (100 + size)});
    }
  }
  const GroupedTimes grouped(times);
  double level = 0;
  for (const double factor : factors) level += std::log(factor) / 5;
  for (std::size_t g = 0; g < factors.size(); ++g) {
    EXPECT_NEAR(factor_of(grouped, 10 + g), std::log(factors[g]) - level, 1e-9);
  }
  for (const SizeMean& size : grouped.factors().sizes) {
    EXPECT_NEAR(size.mean, (100 + size.size) * std::exp(level), 1e-6 * size.mean);
    EXPECT_EQ(size.bounded, 0U);
  }
}

TEST(GroupFactors, SumIsWeightedByHowManySizesAGroupHas) {
  Times times;
  for (int s = 1; s <= 30; ++s) {
    times.push_back({.group = 0, .size = 1.0 * s, .mean = 100});
    if (s <= 10) times.push_back({.group = 1, .size = 1.0 * s, .mean = 100 * std::exp(.4)});
  }
  const GroupedTimes grouped(times);
  EXPECT_NEAR(factor_of(grouped, 0), -.1, 1e-9);
  EXPECT_NEAR(factor_of(grouped, 1), .3, 1e-9);
}

TEST(GroupFactors, GroupThatSharesNoSizeIsToldAndInNoMean) {
  Times times;
  for (std::size_t g = 0; g < 3; ++g) {
    for (int s = 1; s <= 5; ++s) {
      times.push_back({g, 2.0 * s, 50.0 + 10.0 * static_cast<double>(g)});
    }
  }
  times.push_back({7, 3, 1e6});
  times.push_back({7, 5, 1e6});
  times.push_back({8, 5, 2e6});
  const GroupedTimes grouped(times);
  const GroupFactors& factors = grouped.factors();
  ASSERT_EQ(factors.groups.size(), 5U);
  EXPECT_TRUE(factors.groups[2].log_factor);
  EXPECT_FALSE(factors.groups[3].log_factor) << "7 and 8 share sizes with each other alone";
  EXPECT_FALSE(factors.groups[4].log_factor);
  EXPECT_EQ(factors.sizes.size(), 5U);
  for (const SizeMean& size : factors.sizes) EXPECT_LT(size.mean, 100);
}

TEST(GroupFactors, WithoutFactorsNoGroupIsApart) {
  Times times;
  for (int s = 1; s <= 12; ++s) {
    times.push_back({.group = static_cast<std::size_t>(s),
                     .size = 1.0 * s,
                     .mean = 100.0 * s,
                     .variance = 4.0 * s * s});
  }
  const GroupedTimes grouped(times, false);
  const GroupFactors& factors = grouped.factors();
  ASSERT_EQ(factors.sizes.size(), 12U);
  EXPECT_EQ(factors.groups[3].log_factor, 0);
  EXPECT_NEAR(factors.sizes[4].mean, 500, 1e-9);
  EXPECT_NEAR(factors.sizes[4].own_variance.value(), 4e-4, 1e-12) << "from inside of the group";
  EXPECT_NEAR(factors.sizes[4].variance, 4e-4, 1e-12);
}

TEST(GroupFactors, BurstMovesNeitherItsSizesNorItsGroupMuch) {
  base::Random random(4);
  Times times;
  for (int s = 0; s < 40; ++s) {
    for (std::size_t g = 0; g < 5; ++g) {
      const bool burst = g == 2 && s >= 10 && s < 16;
      times.push_back(
          {.group = g,
           .size = 1.0 + s,
           .mean = 1000 * std::exp(.01 * simulated::drawn_normal(random)) * (burst ? 5 : 1)});
    }
  }
  const GroupedTimes grouped(times);
  // By plain means of logarithms: a factor of .24 and means of 1380.
  EXPECT_NEAR(factor_of(grouped, 2), 0, .01);
  for (int s = 10; s < 16; ++s) {
    const SizeMean& size = grouped.factors().sizes[static_cast<std::size_t>(s)];
    EXPECT_NEAR(size.mean, 1000, 15);
    EXPECT_GE(size.bounded, 1U);
    EXPECT_LT(size.variance, .02 * .02);
  }
}

TEST(GroupFactors, SizeWithoutAMiddleHasALargeVariance) {
  Times times;
  for (int s = 1; s <= 20; ++s) {
    for (int g = 0; g < 4; ++g) {
      const double noise = 1 + .01 * ((g + s) % 4 - 1.5);
      times.push_back(
          {static_cast<std::size_t>(g), 1.0 * s, 100 * noise * (s == 10 && g >= 2 ? 3 : 1)});
    }
  }
  const GroupFactors factors = GroupedTimes(times).factors();
  EXPECT_GT(std::sqrt(factors.sizes[9].variance), .25);
  EXPECT_LT(std::sqrt(factors.sizes[8].variance), .02) << "its neighbours are not to blame";
}

// The points' means over their standard errors are close to normal: neither do small variances of
// five groups make some points far surer than they are, nor are variances far too large.
TEST(GroupFactors, VariancesAreThoseOfTheMeans) {
  base::Random random(8);
  const simulated::TrueLines lines{.pieces = {{.above = 0, .intercept = 300, .slope = .5}}};
  const simulated::GroupedDesign design;
  const simulated::GroupedNoise noise{.group_sd = 0, .sd = .03};
  double squares = 0;
  double most = 0;
  std::size_t count = 0;
  for (std::size_t run = 0; run < test::simulations(50); ++run) {
    const std::vector<double> sizes = simulated::drawn_sizes(design, random);
    const GroupedTimes grouped(simulated::measured(lines, sizes, design, noise, random));
    for (const WeightedPoint& point : grouped.points({.min_effect = 1e-6})) {
      const double off = (point.y - lines.time(point.x)) / std::sqrt(point.variance);
      squares += off * off;
      most = std::max(most, std::abs(off));
      ++count;
    }
  }
  EXPECT_NEAR(squares / static_cast<double>(count), 1.1, .2);
  // The largest of 5000 normal ones is usually 3.9; by five groups' own variances it was 20.
  EXPECT_LT(most, 6);
}

TEST(GroupFactors, PointsHaveFloorsOfTheirVariance) {
  Times times;
  for (int s = 1; s <= 10; ++s) {
    for (std::size_t g = 0; g < 5; ++g) times.push_back({g, 1.0 * s, 200});
  }
  const GroupedTimes grouped(times);
  const WeightedPoint point = grouped.points({.min_effect = .02, .step = 10})[3];
  EXPECT_EQ(point.x, 4);
  EXPECT_NEAR(point.y, 200, 1e-9);
  EXPECT_NEAR(point.variance, 16 + 100.0 / 12, 1e-3);
  EXPECT_THROW(static_cast<void>(grouped.points({.min_effect = 0})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(grouped.points({.step = -1})), std::invalid_argument);
}

TEST(GroupFactors, WeightsOfGroupsMoveMeansAndWhatTheyAreWorth) {
  Times times;
  for (int s = 1; s <= 20; ++s) {
    times.push_back({0, 1.0 * s, 100});
    if (s <= 10) times.push_back({1, 1.0 * s, 200});
  }
  const GroupedTimes grouped(times);
  const PointNoise noise;
  const std::vector<WeightedPoint> once = grouped.points(noise);
  const std::vector<WeightedPoint> same = grouped.points(noise, std::vector<double>{3, 3});
  const std::vector<WeightedPoint> more = grouped.points(noise, std::vector<double>{1, 4});
  // Levels: log 100 and log 200 by twenty and ten sizes; then by twenty and forty.
  EXPECT_NEAR(std::log(once[0].y / 100), std::log(2) / 3, 1e-6);
  EXPECT_NEAR(same[0].y, once[0].y, 1e-9);
  EXPECT_NEAR(same[0].variance, once[0].variance / 3, 1e-9);
  EXPECT_NEAR(std::log(more[0].y / 100), std::log(2) * 2 / 3, 1e-6);
  EXPECT_NEAR(more[0].variance, once[0].variance * 2 / 5, 1e-9);
  EXPECT_NEAR(more[19].variance, once[19].variance, 1e-9);
  EXPECT_THROW(static_cast<void>(grouped.points(noise, std::vector<double>{1})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(grouped.points(noise, std::vector<double>{1, 0})),
               std::invalid_argument);
}

// With exponential weights a mean over all groups varies by (G - 1) / (G + 1) of what it should,
// which intervals make up for; means over five of twenty groups must need no more than that.
TEST(GroupFactors, MeansOfResamplesVaryAsMeansDo) {
  base::Random random(9);
  const simulated::TrueLines lines{.pieces = {{.above = 0, .intercept = 300, .slope = .5}}};
  const simulated::GroupedDesign design{.sizes = 200, .groups = 20};
  const std::vector<double> sizes = simulated::drawn_sizes(design, random);
  const GroupedTimes grouped(
      simulated::measured(lines, sizes, design, {.group_sd = 0, .sd = .03}, random));
  constexpr int kResamples = 400;
  std::vector<double> sums(sizes.size());
  std::vector<double> squares(sizes.size());
  for (int i = 0; i < kResamples; ++i) {
    std::vector<double> weights(design.groups);
    for (double& weight : weights) weight = -std::log(1 - random.uniform()) + 1e-9;
    const std::vector<WeightedPoint> points = grouped.points({}, weights);
    for (std::size_t s = 0; s < points.size(); ++s) {
      const double log = std::log(points[s].y / lines.time(points[s].x));
      sums[s] += log / kResamples;
      squares[s] += log * log / kResamples;
    }
  }
  double variance = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    variance += (squares[s] - sums[s] * sums[s]) / static_cast<double>(sizes.size());
  }
  EXPECT_NEAR(variance * 21 / 19 / (.03 * .03 / 5), 1.05, .12);
}

TEST(GroupFactors, AllThatIsWrongWithTimesIsNamedAtOnce) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  try {
    const GroupedTimes grouped(
        Times{{1, 64, -2}, {1, 128, 5}, {1, 128, 6}, {2, 64, kNaN}, {2, kNaN, 1}, {3, 64, 1, -4}});
    FAIL() << "no fault was found";
  } catch (const base::UserError& error) {
    std::string all;
    for (const base::Fault& fault : error.faults()) all += fault.text() + "\n";
    EXPECT_EQ(
        all,
        "group 1, size 64: the mean time is -2, which has no logarithm; leave out what is not "
        "above 0: it is below what the clock can tell\n"
        "group 1, size 128: stands there twice; put both into one mean\n"
        "group 2, size 64: the mean time is nan, which has no logarithm; leave out what is not "
        "above 0: it is below what the clock can tell\n"
        "group 2, size nan: a size is finite and at least 0; mend or leave out this row\n"
        "group 3, size 64: the variance is -4; 0 stands for not known\n");
  }
  EXPECT_THROW(GroupedTimes(Times{}), base::UserError);
}

TEST(GroupFactors, OneGroupHasMeansAndNoVarianceOfItsOwn) {
  const GroupedTimes grouped(Times{{1, 1, 10}, {1, 2, 20}});
  EXPECT_EQ(grouped.factors().groups[0].log_factor, 0);
  EXPECT_FALSE(grouped.factors().sizes[0].own_variance);
  EXPECT_NEAR(grouped.points({.min_effect = .1})[1].variance, 4, 1e-6);
}

}  // namespace
}  // namespace invar::stats
