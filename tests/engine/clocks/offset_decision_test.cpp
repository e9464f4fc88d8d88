// One counter, two that are apart, or two that tick differently: what bounds of ping-pongs show.
#include "engine/clocks/offset_decision.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace invar::engine::test {
namespace {

CounterOffset offset_of(const std::vector<OffsetBounds>& batches, std::int64_t step_ticks = 26) {
  return counter_offset(batches, step_ticks);
}

TEST(CounterOffset, BoundsAroundZeroAreOneCounterHoweverWideTheyAre) {
  for (const std::int64_t wide : {100, 700, 1'000'000}) {
    const CounterOffset one = offset_of({{-wide, wide}, {-3 * wide, 90}});
    EXPECT_EQ(one.counters, Counters::kOne);
    EXPECT_EQ(one.offset_ticks, 0);
    EXPECT_EQ(one.uncertainty_ticks, 26) << "its step";
  }
}

TEST(CounterOffset, BoundsMayMissZeroByAStep) {
  EXPECT_EQ(offset_of({{26, 200}, {-200, -26}}).counters, Counters::kOne);
  EXPECT_EQ(offset_of({{27, 200}, {-200, 200}}).counters, Counters::kShifted);
}

TEST(CounterOffset, BoundsBesideZeroGiveTheirMiddleAndHalfTheirWidth) {
  const CounterOffset apart = offset_of({{900, 1300}, {1000, 1400}, {800, 1200}});
  EXPECT_EQ(apart.counters, Counters::kShifted);
  EXPECT_EQ(apart.offset_ticks, 1100);
  EXPECT_EQ(apart.uncertainty_ticks, 100 + 26);
  EXPECT_EQ(offset_of({{-1400, -1000}, {-1300, -900}}).offset_ticks, -1150);
}

TEST(CounterOffset, BatchesThatContradictEachOtherAreOfDifferentRates) {
  EXPECT_EQ(offset_of({{900, 1300}, {1400, 1800}}).counters, Counters::kDiffer);
  EXPECT_EQ(offset_of({{900, 1300}, {1320, 1800}}).counters, Counters::kShifted) << "by a step";
  EXPECT_EQ(offset_of({{-100, 100}, {2000, 2400}}).counters, Counters::kDiffer)
      << "one of them may bracket 0";
}

TEST(CounterOffset, NobodyElseIsOneCounter) {
  EXPECT_EQ(offset_of({}).counters, Counters::kOne);
  EXPECT_EQ(offset_of({}).uncertainty_ticks, 26);
}

}  // namespace
}  // namespace invar::engine::test
