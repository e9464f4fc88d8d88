// Plateaus and knees of memories whose levels are known.
#include "stats/plateaus/plateaus.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "stats/plateaus/simulated_memory.hpp"

namespace invar::stats {
namespace {

using simulated::MemoryDesign;
using simulated::TrueMemory;
using enum simulated::Replacement;

constexpr double kKiB = 1024;

PlateausEstimate estimate_of(const TrueMemory& truth, const MemoryDesign& design = {},
                             std::uint64_t seed = 3) {
  base::Random random(seed);
  const std::vector<double> sizes = simulated::drawn_buffers(design, random);
  const GroupedTimes times(simulated::measured_passes(truth, sizes, design, {}, random));
  return plateaus_estimate(times, {.noise = {.min_effect = 0.02}, .resamples = 99});
}

bool holds(const Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

TrueMemory three_levels() {
  return {.overhead_ns = 3,
          .first = 0.01,
          .levels = {{kLru, 32 * kKiB, 0.01}, {kLru, 512 * kKiB, 0.03}, {kRandom, 6e6, 0.1}}};
}

TEST(Plateaus, OfThreeLevelsHaveTheirCapacitiesInside) {
  const PlateausEstimate found = estimate_of(three_levels());
  ASSERT_EQ(found.knees.size(), 3U);
  ASSERT_EQ(found.plateaus.size(), 4U);
  const TrueMemory truth = three_levels();
  double slope = truth.first;
  EXPECT_NEAR(found.plateaus[0].slope.value, slope, 0.03 * slope);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(holds(found.knees[k].region(), truth.levels[k].capacity)) << k;
    slope += truth.levels[k].rise;
    EXPECT_NEAR(found.plateaus[k + 1].slope.value, slope, 0.1 * slope) << k;
    EXPECT_LE(found.knees[k].begin, found.knees[k].end);
  }
}

TEST(Plateaus, OfOneLevelHaveNoKnee) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const PlateausEstimate found = estimate_of({.overhead_ns = 5, .first = 0.02}, {}, seed);
    EXPECT_TRUE(found.knees.empty()) << seed;
    ASSERT_EQ(found.plateaus.size(), 1U);
    EXPECT_EQ(found.plateaus[0].middle, found.points.back().x);
  }
}

// The pass time bends and does not jump; its line behind has a negative intercept.
TEST(Plateaus, OfIndependentAccessesAreToldByTheirShape) {
  const TrueMemory truth{
      .overhead_ns = 2, .first = 0.01, .levels = {{kIndependent, 256 * kKiB, 0.05}}};
  const PlateausEstimate found = estimate_of(truth);
  ASSERT_EQ(found.knees.size(), 1U);
  EXPECT_EQ(found.knees[0].shape, KneeShape::kIndependent);
  EXPECT_NEAR(found.knees[0].capacity, 256 * kKiB, 0.1 * 256 * kKiB);
  EXPECT_LT(found.fit.pieces.back().intercept, 0);
  EXPECT_NEAR(found.plateaus[1].slope.value, 0.06, 0.003);
}

TEST(Plateaus, OfOneLaunchGroupHaveNoLaunchInterval) {
  const MemoryDesign design{.groups = 1, .groups_of_size = 1};
  const PlateausEstimate found = estimate_of(three_levels(), design);
  ASSERT_FALSE(found.knees.empty());
  EXPECT_FALSE(found.knees[0].capacity_interval);
  EXPECT_FALSE(found.plateaus[0].slope.interval);
}

TEST(Plateaus, RefuseARiseThatHasNoRegion) {
  const std::vector<GroupTime> times{{.group = 0, .size = 1, .mean = 1}};
  EXPECT_THROW((void)plateaus_estimate(GroupedTimes(times), {.least_rise = 0.05}),
               std::invalid_argument);
}

TEST(HierarchySearch, RefusesOtherSizes) {
  const std::vector<double> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const HierarchySearch search(sizes, {});
  EXPECT_THROW((void)search.fit(std::vector<WeightedPoint>{{.x = 1, .y = 1}}),
               std::invalid_argument);
  const std::vector<double> twice{1, 1};
  EXPECT_THROW(HierarchySearch(twice, {}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
