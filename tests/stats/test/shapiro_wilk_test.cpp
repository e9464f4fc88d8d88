#include "stats/test/shapiro_wilk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {
namespace {

TEST(ShapiroWilk, AllSamplesAgreeWithR) {
  for (const golden::Row& row : golden::read("stats_shapiro.csv")) {
    const std::vector<double> x = golden::numbers(row.at("x"));
    const auto actual = shapiro_wilk(x);
    ASSERT_TRUE(actual) << row.at("case");
    EXPECT_NEAR(actual->w, *golden::number(row.at("w")), 1e-7) << row.at("case");
    // R weighs with Blom's scores in single precision constants; p follows W's last digits.
    golden::expect_close(actual->p, *golden::number(row.at("p")), 1e-4, row.at("case"));
  }
}

TEST(ShapiroWilk, DoesNotExistForConstantFewOrTooManyValues) {
  EXPECT_FALSE(shapiro_wilk(std::vector{2.0, 2.0, 2.0, 2.0}));
  EXPECT_FALSE(shapiro_wilk(std::vector{1.0, 2.0}));
  EXPECT_FALSE(shapiro_wilk(std::vector<double>(5001, 1.0)));
}

TEST(ShapiroWilk, OrderAndUnitsDoNotMatter) {
  const std::vector<double> x{3, 1, 4, 1, 5, 9, 2, 6};
  std::vector<double> other;
  for (auto value = x.rbegin(); value != x.rend(); ++value) other.push_back(-7 * *value + 1e6);
  EXPECT_NEAR(shapiro_wilk(x)->p, shapiro_wilk(other)->p, 1e-9);
}

// The paper's figure 2: means of few skewed run-times are not normal, of many they are.
TEST(NormalityOfMeans, SkewedRunTimesNeedManyValuesAMean) {
  base::Random random(2016);
  std::vector<double> times(10000);
  for (double& time : times) {
    time = std::exp(0.8 * normal_quantile(1e-12 + (1 - 2e-12) * random.uniform()));
  }
  const auto of_ten = normality_of_means(times, 10, 500, 1);
  const auto of_many = normality_of_means(times, 5000, 500, 1);
  ASSERT_TRUE(of_ten && of_many);
  EXPECT_LT(of_ten->p, 1e-4);
  EXPECT_GT(of_many->p, 0.01);
  EXPECT_EQ(of_ten->w, normality_of_means(times, 10, 500, 1)->w) << "same seed, same means";
}

TEST(NormalityOfMeans, ConstantObservationsHaveNoAnswer) {
  EXPECT_FALSE(normality_of_means(std::vector<double>(100, 3.0), 10, 500, 1));
}

TEST(ShapiroWilk, NonsenseThrows) {
  EXPECT_THROW(shapiro_wilk({}), std::invalid_argument);
  EXPECT_THROW(shapiro_wilk(std::vector<double>{1.0, NAN, 2.0}), std::invalid_argument);
  EXPECT_THROW(normality_of_means({}, 10, 500, 1), std::invalid_argument);
  EXPECT_THROW(normality_of_means(std::vector{1.0}, 0, 500, 1), std::invalid_argument);
  EXPECT_THROW(normality_of_means(std::vector{1.0}, 10, 2, 1), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
