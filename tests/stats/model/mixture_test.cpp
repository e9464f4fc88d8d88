#include "stats/model/mixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {
namespace {

double gaussian(base::Random& random) {
  return normal_quantile(0.5e-12 + (1 - 1e-12) * random.uniform());
}

// `n` values around each of `levels`.
std::vector<double> around(const std::vector<double>& levels, std::size_t n, double sd,
                           std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> values;
  for (const double level : levels) {
    for (std::size_t i = 0; i < n; ++i) values.push_back(level + sd * gaussian(random));
  }
  return values;
}

TEST(FitMixture, OneComponentIsMeanAndStandardDeviation) {
  const Mixture fit = fit_mixture(std::vector{1.0, 2.0, 3.0, 6.0}, 1, 1e-3);
  ASSERT_EQ(fit.components.size(), 1U);
  EXPECT_DOUBLE_EQ(fit.components[0].share, 1);
  EXPECT_DOUBLE_EQ(fit.components[0].mean, 3);
  EXPECT_NEAR(fit.components[0].sd, std::sqrt(3.5), 1e-9);
  // R: sum(dnorm(c(1, 2, 3, 6), 3, sqrt(3.5), log = TRUE))
  EXPECT_NEAR(fit.log_likelihood, -8.18128, 1e-4);
  EXPECT_NEAR(fit.bic, 2 * 8.18128 + 2 * std::log(4.0), 1e-4);
}

TEST(FitMixture, PlantedComponentsAreFoundInOrder) {
  std::vector<double> values = around({5.0}, 3000, 0.05, 1);
  for (const double value : around({4.0}, 1000, 0.1, 2)) values.push_back(value);
  const Mixture fit = fit_mixture(values, 2, 1e-3);
  ASSERT_EQ(fit.components.size(), 2U);
  EXPECT_NEAR(fit.components[0].mean, 4, 0.02);
  EXPECT_NEAR(fit.components[0].sd, 0.1, 0.01);
  EXPECT_NEAR(fit.components[0].share, 0.25, 0.01);
  EXPECT_NEAR(fit.components[1].mean, 5, 0.01);
  EXPECT_NEAR(fit.components[1].sd, 0.05, 0.005);
}

TEST(FitMixture, OrderOfTheValuesDoesNotMatter) {
  std::vector<double> values = around({0.0, 1.0}, 200, 0.1, 3);
  const Mixture fit = best_mixture(values, 4, 0.01);
  base::Random(9).shuffle(std::span(values));
  const Mixture again = best_mixture(values, 4, 0.01);
  ASSERT_EQ(fit.components.size(), again.components.size());
  EXPECT_NEAR(fit.log_likelihood, again.log_likelihood, 1e-6);
}

TEST(BestMixture, NumberOfSeparateComponentsIsFound) {
  const std::vector<std::vector<double>> cases{{0}, {0, 1}, {0, 1, 3}, {0, 1, 2, 3}};
  for (const std::vector<double>& levels : cases) {
    EXPECT_EQ(best_mixture(around(levels, 300, 0.05, 4), 6, 0.01).components.size(), levels.size());
  }
}

TEST(BestMixture, StepsOfAClockAreNoComponents) {
  std::vector<double> values = around({0.0}, 2000, 0.05, 5);
  const double step = 0.04;
  for (double& value : values) value = std::round(value / step) * step;
  EXPECT_TRUE(valleys(best_mixture(values, 6, step / std::sqrt(12.0)), 0.5).empty());
  // Without a floor every step is a component.
  EXPECT_GT(best_mixture(values, 6, 1e-6).components.size(), 3U);
}

TEST(BestMixture, EqualValuesAreOneComponent) {
  const Mixture fit = best_mixture(std::vector<double>(100, 2.5), 4, 0.01);
  ASSERT_EQ(fit.components.size(), 1U);
  EXPECT_DOUBLE_EQ(fit.components[0].mean, 2.5);
  EXPECT_DOUBLE_EQ(fit.components[0].sd, 0.01);
}

TEST(Valleys, LieBetweenTheModes) {
  const std::vector<double> cuts =
      valleys(best_mixture(around({0.0, 1.0, 3.0}, 300, 0.05, 6), 6, 0.01), 0.5);
  ASSERT_EQ(cuts.size(), 2U);
  EXPECT_GT(cuts[0], 0.2);
  EXPECT_LT(cuts[0], 0.8);
  EXPECT_GT(cuts[1], 1.2);
  EXPECT_LT(cuts[1], 2.8);
}

// Skewed data need several components, but have one mode.
TEST(Valleys, SkewedDataHaveNone) {
  base::Random random(7);
  std::vector<double> values(5000);
  for (double& value : values) value = -std::log(1 - random.uniform());
  const Mixture fit = best_mixture(values, 6, 0.01);
  EXPECT_GT(fit.components.size(), 1U);
  EXPECT_TRUE(valleys(fit, 0.5).empty());
}

TEST(FitMixture, HundredThousandValuesAreBinned) {
  const std::vector<double> values = around({0.0, 0.5}, 50000, 0.02, 8);
  EXPECT_EQ(best_mixture(values, 6, 0.02).components.size(), 2U);
}

// Bins stay finer than the floor however far the farthest value lies.
TEST(FitMixture, AFarValueHidesNoModes) {
  std::vector<double> values = around({0.0, 0.2}, 300, 0.02, 9);
  values.push_back(2000);
  const std::vector<double> cuts = valleys(best_mixture(values, 6, 0.02), 0.5);
  ASSERT_FALSE(cuts.empty());
  EXPECT_NEAR(cuts[0], 0.1, 0.05);
}

TEST(FitMixture, NonsenseThrows) {
  EXPECT_THROW(fit_mixture({}, 1, 0.1), std::invalid_argument);
  EXPECT_THROW(fit_mixture(std::vector{1.0}, 0, 0.1), std::invalid_argument);
  EXPECT_THROW(fit_mixture(std::vector{1.0}, 1, 0), std::invalid_argument);
  EXPECT_THROW(best_mixture(std::vector<double>{INFINITY}, 2, 0.1), std::invalid_argument);
  EXPECT_THROW(valleys({}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
