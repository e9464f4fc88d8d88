#include "engine/timed/uncertainty.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "base/random.hpp"
#include "simulations.hpp"

namespace invar::engine::test {
namespace {

// Tippett's table (Biometrika 17, 1925).
TEST(ExpectedRange, IsThatOfTheTable) {
  EXPECT_EQ(expected_range_sigmas(1), 0);
  EXPECT_NEAR(expected_range_sigmas(2), 2 / std::sqrt(std::numbers::pi), 1e-9);
  EXPECT_NEAR(expected_range_sigmas(3), 3 / std::sqrt(std::numbers::pi), 1e-9);
  EXPECT_NEAR(expected_range_sigmas(8), 2.847, 1e-3);
  EXPECT_NEAR(expected_range_sigmas(100), 5.015, 1e-3);
  EXPECT_NEAR(expected_range_sigmas(1000), 6.483, 1e-3);
}

TEST(ExpectedRange, GrowsWithEveryDomain) {
  for (std::size_t domains = 1; domains < 1'000'000; domains *= 3) {
    EXPECT_LT(expected_range_sigmas(domains), expected_range_sigmas(domains + domains)) << domains;
  }
}

TEST(ExpectedRange, IsTheMeanOfSimulatedRanges) {
  base::Random random = base::Random::of({5});
  const auto normal = [&random] {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
  };
  for (const std::size_t domains : {2U, 8U, 64U, 1000U}) {
    const std::size_t trials = invar::test::simulations(2000);
    double sum = 0;
    double squares = 0;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      double low = std::numeric_limits<double>::max();
      double high = -low;
      for (std::size_t i = 0; i < domains; ++i) {
        const double error = normal();
        low = std::min(low, error);
        high = std::max(high, error);
      }
      sum += high - low;
      squares += (high - low) * (high - low);
    }
    const auto n = static_cast<double>(trials);
    const double mean = sum / n;
    const double standard_error = std::sqrt((squares / n - mean * mean) / n);
    EXPECT_NEAR(mean, expected_range_sigmas(domains), 4 * standard_error) << domains;
  }
}

TEST(Uncertainty, IsNoneOfOneClockAndThatOfADifferenceOfTwo) {
  EXPECT_EQ(uncertainty_sigmas(1), 0);
  EXPECT_DOUBLE_EQ(uncertainty_sigmas(2), 2 * std::numbers::sqrt2);
  EXPECT_NEAR(uncertainty_sigmas(8), 2.847, 1e-3);
  EXPECT_NEAR(uncertainty_sigmas(1000), 6.483, 1e-3);
}

TEST(Uncertainty, ThatIsTooMuchForARecordIsTheMostItHolds) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(saturated_ps(4294967294.0), kMost - 1);
  EXPECT_EQ(saturated_ps(4294967295.0), kMost);
  EXPECT_EQ(saturated_ps(1e30), kMost);
  EXPECT_EQ(saturated_ps(std::numeric_limits<double>::infinity()), kMost);
  EXPECT_EQ(saturated_ps(std::numeric_limits<double>::quiet_NaN()), kMost);
  EXPECT_EQ(saturated_ps(-1), 0U);
  EXPECT_EQ(saturated_ps(12.6), 13U);
}

}  // namespace
}  // namespace invar::engine::test
