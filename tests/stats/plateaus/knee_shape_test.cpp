// Shapes of knees against caches that are simulated access by access.
#include "stats/plateaus/knee_shape.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "stats/plateaus/simulated_memory.hpp"

namespace invar::stats {
namespace {

using simulated::CacheSimulation;
using simulated::Replacement;

constexpr std::size_t kLines = 2048;

double simulated_misses(Replacement policy, double ratio) {
  base::Random random(7);
  return CacheSimulation(policy, kLines)
      .misses(static_cast<std::size_t>(ratio * static_cast<double>(kLines)), random);
}

TEST(MissingShare, OfLruJumpsAtTheCapacity) {
  EXPECT_EQ(missing_share(KneeShape::kJump, 1), 0);
  EXPECT_EQ(missing_share(KneeShape::kJump, 1.001), 1);
  EXPECT_EQ(simulated_misses(Replacement::kLru, 1), 0);
  EXPECT_EQ(simulated_misses(Replacement::kLru, 1.001), 1);
}

TEST(MissingShare, OfRandomReplacementIsNotWhatIndependentAccessesMiss) {
  for (const double ratio : {1.3, 1.6, 2.5, 6.0}) {
    const double share = missing_share(KneeShape::kRandom, ratio);
    EXPECT_NEAR(share, 1 - std::exp(-share * ratio), 1e-12);
    EXPECT_NEAR(share, simulated_misses(Replacement::kRandom, ratio), 0.02) << ratio;
    EXPECT_GT(share, missing_share(KneeShape::kIndependent, ratio) + 0.05) << ratio;
  }
  EXPECT_EQ(missing_share(KneeShape::kRandom, 0.99), 0);
}

TEST(MissingShare, OfIndependentAccessesIsWhatIsNotInTheCache) {
  for (const double ratio : {0.5, 1.0, 1.5, 4.0}) {
    EXPECT_NEAR(missing_share(KneeShape::kIndependent, ratio),
                simulated_misses(Replacement::kIndependent, ratio), 0.02);
  }
}

TEST(MissingShare, OfPagesByChanceBeginsBelowTheCapacity) {
  for (const double ratio : {0.6, 1.0, 1.5}) {
    double sum = 0;
    base::Random random(9);
    constexpr int kLaunches = 400;
    for (int launch = 0; launch < kLaunches; ++launch) {
      sum += CacheSimulation(Replacement::kLruPages, 16 * kLines)
                 .misses(static_cast<std::size_t>(ratio * 16 * kLines), random);
    }
    EXPECT_NEAR(missing_share(KneeShape::kPages, ratio), sum / kLaunches, 0.03) << ratio;
  }
}

TEST(MissingShare, OfSetsIsAllOnceEachHasALineTooMany) {
  EXPECT_EQ(missing_share(KneeShape::kWays, 1), 0);
  EXPECT_NEAR(missing_share(KneeShape::kWays, 1.0625), 9 * (1 - 1 / 1.0625), 1e-12);
  EXPECT_EQ(missing_share(KneeShape::kWays, 1.1251), 1);
}

TEST(MissingShare, RefusesRatiosThatAreNone) {
  EXPECT_THROW((void)missing_share(KneeShape::kJump, 0), std::invalid_argument);
  EXPECT_THROW((void)ratio_of_share(KneeShape::kRandom, 1), std::invalid_argument);
}

TEST(RatioOfShare, IsTheInverse) {
  for (const KneeShape shape : kKneeShapes) {
    if (shape == KneeShape::kJump) continue;
    for (const double share : {0.02, 0.5, 0.98}) {
      EXPECT_NEAR(missing_share(shape, ratio_of_share(shape, share)), share, 1e-9);
    }
  }
  EXPECT_EQ(ratio_of_share(KneeShape::kJump, 0.5), 1);
}

}  // namespace
}  // namespace invar::stats
