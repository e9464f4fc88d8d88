#include "stats/model/line.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace invar::stats {
namespace {

TEST(FitLine, ExactLineHasNoResiduals) {
  const std::vector<double> x{0, 1, 2, 5};
  const std::vector<double> y{3, 5, 7, 13};
  const LineFit fit = fit_line(x, y);
  EXPECT_DOUBLE_EQ(fit.slope, 2);
  EXPECT_DOUBLE_EQ(fit.intercept, 3);
  EXPECT_DOUBLE_EQ(fit.r_squared.value(), 1);
  EXPECT_NEAR(fit.largest_residual, 0, 1e-12);
}

// m <- lm(c(2.1, 3.9, 6.2, 7.8, 10.1) ~ c(1, 2, 3, 4, 5)); summary(m), resid(m).
TEST(FitLine, AgreesWithRsLm) {
  const std::vector<double> x{1, 2, 3, 4, 5};
  const std::vector<double> y{2.1, 3.9, 6.2, 7.8, 10.1};
  const LineFit fit = fit_line(x, y);
  EXPECT_NEAR(fit.slope, 1.99, 1e-12);
  EXPECT_NEAR(fit.intercept, 0.05, 1e-12);
  EXPECT_NEAR(fit.slope_standard_error, 0.0597215762, 1e-9);
  EXPECT_NEAR(fit.r_squared.value(), 0.997305329, 1e-8);
  EXPECT_NEAR(fit.largest_residual, 0.21, 1e-9);
}

TEST(FitLine, LargeOffsetsCostNoPrecision) {
  const std::vector<double> x{1e6, 1e6 + 1, 1e6 + 2};
  const std::vector<double> y{1e12, 1e12 + 13, 1e12 + 26};
  EXPECT_NEAR(fit_line(x, y).slope, 13, 1e-9);
}

TEST(FitLine, TwoPointsHaveNoErrorAndConstantOnesNoRSquared) {
  const std::vector<double> x{0, 1};
  const std::vector<double> same{4, 4};
  const LineFit fit = fit_line(x, same);
  EXPECT_EQ(fit.slope_standard_error, 0);
  EXPECT_FALSE(fit.r_squared);
  EXPECT_DOUBLE_EQ(fit.slope, 0);
}

TEST(FitLine, RefusesWhatIsNoLine) {
  const std::vector<double> one{1};
  const std::vector<double> equal{2, 2};
  const std::vector<double> two{1, 2};
  const std::vector<double> bad{1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(fit_line(one, one), std::invalid_argument);
  EXPECT_THROW(fit_line(two, one), std::invalid_argument);
  EXPECT_THROW(fit_line(equal, two), std::invalid_argument);
  EXPECT_THROW(fit_line(two, bad), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
