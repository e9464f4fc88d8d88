// One counter, two that are apart, or two that tick differently: what bounds of ping-pongs show.
#include "engine/clocks/offset_decision.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <thread>
#include <vector>

#include "group/forked.hpp"

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
  EXPECT_EQ(offset_of({}).within_ticks, 26);
}

// One counter or two that were set nearly alike: bounds around 0 do not tell.
TEST(CounterOffset, LeavesOpenWhatTheNarrowestBoundsAllow) {
  EXPECT_EQ(offset_of({{-300, 90}, {-80, 200}}).within_ticks, 90 + 26);
  EXPECT_EQ(offset_of({{-120, 90}}).within_ticks, 120 + 26);
  EXPECT_EQ(offset_of({{10, 90}}).within_ticks, 90 + 26) << "they miss 0 by less than a step";
  EXPECT_EQ(offset_of({{900, 1300}}).within_ticks, 200 + 26) << "around the estimate";
}

TEST(WithinOfHost, IsOverTheCounterThatAllWereComparedWith) {
  const auto others = [](std::vector<std::int64_t> within) {
    std::vector<CounterOffset> all;
    for (const std::int64_t ticks : within) all.push_back({.within_ticks = ticks});
    return within_of_host(all, 26);
  };
  EXPECT_EQ(others({}), 26);
  EXPECT_EQ(others({100}), 100);
  EXPECT_EQ(others({100, 150}), 250) << "the two that are not rank 0";
  EXPECT_EQ(others({150, 40, 100}), 250);
}

TEST(CounterOffset, HoldsAsLongAsLaterBoundsMissZeroByNoMoreThanWasStated) {
  EXPECT_TRUE(offset_holds({-200, 300}, 126, 26));
  EXPECT_TRUE(offset_holds({152, 400}, 126, 26)) << "and a step";
  EXPECT_FALSE(offset_holds({153, 400}, 126, 26));
  EXPECT_TRUE(offset_holds({-400, -152}, 126, 26));
  EXPECT_FALSE(offset_holds({-400, -153}, 126, 26));
}

// The real clock as a CPU shows it whose counter was set otherwise; `taken_off`: as the engine
// reads it.
struct SetClock {
  std::int64_t ahead_ns = 0;
  std::int64_t taken_off_ns = 0;
  [[nodiscard]] std::int64_t now() const {
    return without_ahead(clock::monotonic_raw_ns() + ahead_ns, taken_off_ns);
  }
};

// Bounds between two ranks, of which the second has that clock.
OffsetBounds exchanged(const SetClock& second) {
  const std::string name = group::test::page_name("offset");
  OffsetBounds bounds;
  std::array<std::thread, 2> ranks;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    ranks.at(rank) = std::thread([&, rank] {
      const group::Page page =
          group::Page::attach(name, {.arms = 1, .local_ranks = 2}, {.local_rank = rank});
      const OffsetBounds mine = offset_bounds(
          page, 1, rank == 0 ? SetClock{} : second, [](void*) { sched_yield(); }, nullptr);
      if (rank == 0) bounds = mine;
    });
  }
  for (std::thread& rank : ranks) rank.join();
  return bounds;
}

// With a wrong sign readings would be twice as far apart as before, on this machine's and on most
// others without a trace: they have one counter.
TEST(CounterOffset, WhatIsTakenOffMakesTheSecondCounterShowTheFirstOnesTime) {
  constexpr std::int64_t kStepNs = 1;
  for (const std::int64_t ahead_ns : {std::int64_t{3'000'000'000}, std::int64_t{-70'000'000}}) {
    const CounterOffset apart = offset_of({exchanged({ahead_ns}), exchanged({ahead_ns})}, kStepNs);
    ASSERT_EQ(apart.counters, Counters::kShifted);
    EXPECT_TRUE(
        offset_holds(exchanged({ahead_ns, ahead_ticks(apart)}), apart.uncertainty_ticks, kStepNs));
    EXPECT_FALSE(
        offset_holds(exchanged({ahead_ns, -ahead_ticks(apart)}), apart.uncertainty_ticks, kStepNs));
    EXPECT_FALSE(offset_holds(exchanged({ahead_ns}), apart.uncertainty_ticks, kStepNs));
  }
}

TEST(CounterOffset, ShiftedCounterIsReadWithoutWhatItIsAhead) {
  constexpr std::int64_t kAhead = std::int64_t{1} << 50;
  const std::int64_t before = clock::TscClock::now();
  const std::int64_t shifted = clock::ShiftedTscClock{kAhead}.now();
  EXPECT_GE(shifted, without_ahead(before, kAhead));
  EXPECT_LE(shifted, without_ahead(clock::TscClock::now(), kAhead));
}

}  // namespace
}  // namespace invar::engine::test
