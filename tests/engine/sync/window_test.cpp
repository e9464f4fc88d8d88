// Window synchronisation: its rules, and one rank alone on a clock that the test drives.
#include "engine/sync/window.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "engine/driven_clock.hpp"

namespace invar::engine::test {
namespace {

using testing::Each;
using testing::SizeIs;

constexpr WindowLimits kWindowLimits{.fixed_ticks = 0,
                                     .least_ticks = 100,
                                     .most_ticks = 1'000'000,
                                     .lead_ticks = 500,
                                     .interruption_ticks = 50,
                                     .visit_ticks = INT64_MAX};

WindowLimits fixed(std::int64_t ticks) {
  WindowLimits limits = kWindowLimits;
  limits.fixed_ticks = ticks;
  return limits;
}

TEST(Windows, AreEquallyLongAndBeginAfterTheLead) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 10, .capacity = 20, .call_ticks = 400});
  ASSERT_TRUE(windows.next({.now_ticks = 7000}));
  EXPECT_EQ(windows.start_ticks(0), 7500);
  EXPECT_EQ(windows.start_ticks(1) - windows.start_ticks(0), 1200) << "three times a call at first";
  EXPECT_EQ(windows.start_ticks(3) - windows.start_ticks(2), 1200);
}

TEST(Windows, GrowWhereTooShort) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 100});
  windows.next({});
  ASSERT_EQ(windows.in_block(), 4U);
  windows.next({.invalid = 0b0110, .busy_ticks = 310});
  EXPECT_EQ(windows.length_ticks(), 450) << "half as long again";
  windows.next({.invalid = 0b1111'1111, .busy_ticks = 4000});
  EXPECT_EQ(windows.length_ticks(), 5000) << "at once as long as it takes";
}

TEST(Windows, StayWhereOneInFourIsLate) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 100});
  windows.next({});
  windows.next({.invalid = 0b0100, .busy_ticks = 290});
  EXPECT_EQ(windows.length_ticks(), 300);
}

TEST(Windows, ShrinkAgain) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 10'000});
  windows.next({});
  windows.next({.busy_ticks = 1000});
  EXPECT_EQ(windows.length_ticks(), 1500);
  windows.next({.busy_ticks = 10});
  EXPECT_EQ(windows.length_ticks(), 100) << "not below the least";
}

TEST(Windows, DoNotGrowWhereTheyAreLongerThanNeeded) {
  // A rank that loses its processor makes repetitions invalid; longer windows would lose it more
  // often.
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 1000});
  windows.next({});
  windows.next({.invalid = 0b1111, .busy_ticks = 1400});
  EXPECT_EQ(windows.length_ticks(), 2100);
}

TEST(Windows, OfACellAreKnownAtItsNextVisit) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 4, .capacity = 8, .cell = 3, .call_ticks = 10'000});
  windows.next({});
  EXPECT_FALSE(windows.next({.busy_ticks = 1000})) << "four valid ones";
  windows.begin({.repetitions = 4, .capacity = 8, .cell = 4, .call_ticks = 10'000});
  EXPECT_EQ(windows.length_ticks(), 30'000) << "another cell";
  windows.begin({.repetitions = 4, .capacity = 8, .cell = 3, .call_ticks = 10'000});
  EXPECT_EQ(windows.length_ticks(), 1500);
}

// SKaMPI 5: to twice the length, or one and a half of what the block took on average.
TEST(Windows, AsSkampisOnlyGrow) {
  WindowLimits limits = kWindowLimits;
  limits.only_grow = true;
  Windows windows(limits);
  windows.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 100});
  windows.next({.now_ticks = 0});
  windows.next({.invalid = 0b0001, .now_ticks = 1700, .busy_ticks = 1});
  EXPECT_EQ(windows.length_ticks(), 300) << "one in four may be bad, and nothing shrinks";
  windows.next({.invalid = 0b0111, .now_ticks = 5000, .busy_ticks = 1});
  EXPECT_EQ(windows.length_ticks(), 600) << "twice as long";
  ASSERT_EQ(windows.in_block(), 16U);
  const std::int64_t took = 100'000 - windows.start_ticks(0);
  windows.next({.invalid = 0b1'1111, .now_ticks = 100'000, .busy_ticks = 1});
  EXPECT_EQ(windows.length_ticks(), took * 3 / 2 / 17);
}

// Else one disturbance would be in every later visit of the launch.
TEST(Windows, ThatOnlyGrowBeginAnewInEveryVisit) {
  for (const bool only_grow : {true, false}) {
    WindowLimits limits = kWindowLimits;
    limits.only_grow = only_grow;
    Windows windows(limits);
    const VisitStart visit{.repetitions = 4, .capacity = 4, .call_ticks = 100};
    windows.begin(visit);
    windows.next({.now_ticks = 0});
    EXPECT_FALSE(windows.next({.invalid = 0b1111, .now_ticks = 100'000, .busy_ticks = 400}));
    EXPECT_GT(windows.length_ticks(), 300);
    windows.begin(visit);
    EXPECT_EQ(windows.length_ticks() == 300, only_grow) << "ours are remembered";
  }
}

TEST(Windows, ThatOnlyGrowHaveRoomForLongCalls) {
  WindowLimits limits = kWindowLimits;
  limits.only_grow = true;
  Windows windows(limits);
  windows.begin({.repetitions = 4, .capacity = 8, .call_ticks = 2 * limits.most_ticks});
  EXPECT_EQ(windows.length_ticks(), 6 * limits.most_ticks);
}

TEST(Windows, FixedOnesStayAsTheyAre) {
  Windows windows(fixed(250));
  windows.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 10'000});
  windows.next({});
  windows.next({.invalid = 0b1111, .busy_ticks = 9000});
  windows.next({.busy_ticks = 1});
  EXPECT_EQ(windows.length_ticks(), 250);
}

TEST(Windows, MissedFirstStartLengthensTheLead) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 100});
  windows.next({});
  windows.next({.invalid = 1, .missed = 1, .now_ticks = 10'000, .exchange_ticks = 100});
  EXPECT_EQ(windows.start_ticks(0), 11'000);
  for (int i = 0; i < 2; ++i) {
    windows.next({.invalid = 1, .missed = 1, .now_ticks = 15'000, .exchange_ticks = 100});
  }
  EXPECT_EQ(windows.start_ticks(0), 16'600) << "of who misses all, 16 exchanges";
  windows.next({.now_ticks = 20'000, .exchange_ticks = 5000});
  EXPECT_EQ(windows.start_ticks(0), 30'000) << "twice what an exchange takes";
  windows.next({.invalid = 1, .now_ticks = 40'000});
  EXPECT_LT(windows.start_ticks(0), 50'000) << "it passed its window, but was not late";
}

// Rates are measured, and so are not quite the same on all ranks.
TEST(Windows, TheLongestLengthIsThatOfAll) {
  Windows mine(kWindowLimits);
  WindowLimits others = kWindowLimits;
  others.fixed_ticks = 301;
  Windows theirs(others);
  for (Windows* windows : {&mine, &theirs}) {
    windows->begin({.repetitions = 100, .capacity = 1000, .call_ticks = 100});
  }
  BlockReport all{.length_ticks = mine.length_ticks()};
  all.add({.length_ticks = theirs.length_ticks()});
  mine.next(all);
  theirs.next(all);
  EXPECT_EQ(mine.start_ticks(63), theirs.start_ticks(63));
}

TEST(Windows, ABlockIsNoLongerThanTheTimeThatIsLeft) {
  WindowLimits limits = fixed(1000);
  limits.visit_ticks = 9000;
  Windows windows(limits);
  windows.begin({.repetitions = 100, .capacity = 1000});
  windows.next({.now_ticks = 0});
  EXPECT_EQ(windows.in_block(), 4U);
  windows.next({.now_ticks = 4000});
  EXPECT_EQ(windows.in_block(), 5U) << "not eight";
  windows.next({.now_ticks = 8900});
  EXPECT_EQ(windows.in_block(), 1U);
}

// Ranks that were not in the same visits before have other leads.
TEST(Windows, TheLongestLeadIsThatOfAll) {
  Windows mine(kWindowLimits);
  mine.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 100});
  BlockReport all{.now_ticks = 1000, .lead_ticks = mine.lead_ticks()};
  all.add({.lead_ticks = 9000});
  mine.next(all);
  EXPECT_EQ(mine.start_ticks(0), 10'000);
}

TEST(Windows, BlocksGrowAndNeverHoldMoreThanIsWanted) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 100, .capacity = 120, .warm_up = 20});
  std::vector<std::uint32_t> blocks;
  while (windows.next({})) blocks.push_back(windows.in_block());
  EXPECT_THAT(blocks, testing::ElementsAre(4, 8, 16, 32, 60)) << "120 in all, warm-up included";
  EXPECT_EQ(windows.valid(), 100U);
}

// Doubled without end, the length of a block was 0 after 30 of them, and a rank wrote past its end.
TEST(Windows, NoBlockOfALongVisitIsEmpty) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 1'000'000, .capacity = 2'000'000, .call_ticks = 100});
  for (int block = 0; block < 100; ++block) {
    ASSERT_TRUE(windows.next({}));
    EXPECT_GT(windows.in_block(), 0U) << "block " << block;
    EXPECT_LE(windows.in_block(), Windows::kMostInBlock) << "block " << block;
  }
}

TEST(Windows, VisitEndsAtItsCapacityItsTimeOrAnError) {
  WindowLimits limits = kWindowLimits;
  limits.visit_ticks = 1000;
  Windows windows(limits);
  windows.begin({.repetitions = 100, .capacity = 12});
  EXPECT_TRUE(windows.next({}));
  EXPECT_TRUE(windows.next({.invalid = 0b1111}));
  EXPECT_FALSE(windows.next({.invalid = 0xff})) << "twelve attempts, none valid";
  EXPECT_EQ(windows.valid(), 0U);
  windows.begin({.repetitions = 100, .capacity = 1000});
  EXPECT_TRUE(windows.next({.now_ticks = 50}));
  EXPECT_FALSE(windows.next({.now_ticks = 1051}));
  windows.begin({.repetitions = 100, .capacity = 1000});
  EXPECT_TRUE(windows.next({}));
  EXPECT_FALSE(windows.next({.failed = 1}));
}

TEST(BlockReport, OrderAndRepetitionDoNotMatter) {
  const BlockReport one{.invalid = 1, .now_ticks = 5, .busy_ticks = 7, .exchange_ticks = 1};
  const BlockReport other{.invalid = 4, .now_ticks = 9, .busy_ticks = 2, .failed = 1};
  BlockReport sum = one;
  sum.add(other);
  sum.add(one);
  EXPECT_EQ(sum.invalid, 5U);
  EXPECT_EQ(sum.now_ticks, 9);
  EXPECT_EQ(sum.busy_ticks, 7);
  EXPECT_EQ(sum.exchange_ticks, 1);
  EXPECT_EQ(sum.failed, 1U);
}

struct NobodyElse {
  BlockReport operator()(const BlockReport& mine) const { return mine; }
};

class WindowAlone : public testing::Test {
 protected:
  using Sync = WindowSync<DrivenClock, OwnTime, NobodyElse>;
  Sync make(const WindowLimits& limits = kWindowLimits) {
    return Sync(DrivenClock{&time_}, OwnTime{}, Dither(1, 0), limits, NobodyElse{});
  }

  struct Visit {
    std::vector<std::uint16_t> flags = {};
    std::vector<std::int64_t> begins = {};
  };
  // `operation_ticks(i)`: what repetition i takes.
  Visit visit(Sync& sync, const VisitStart& start,
              const std::function<std::int64_t(std::size_t)>& operation_ticks) {
    sync.begin(start);
    Visit made;
    made.flags.assign(start.capacity + 1, 0);
    std::size_t i = 0;
    while (sync.wait(made.flags[i])) {
      made.begins.push_back(time_.now);
      time_.now += operation_ticks(i);
      if (++i > start.capacity) throw std::runtime_error("it does not end");
    }
    made.flags.resize(i);
    return made;
  }

  DrivenTime time_;
  std::int64_t calls_while_late_ = 0;
  std::int64_t waits_since_ = 0;
};

TEST_F(WindowAlone, RepetitionsStartAtEqualDistances) {
  Sync sync = make(fixed(300));
  const Visit made =
      visit(sync, {.repetitions = 4, .capacity = 8}, [](std::size_t) { return 100; });
  EXPECT_THAT(made.flags, Each(0));
  ASSERT_THAT(made.begins, SizeIs(4));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(made.begins[i] - made.begins[i - 1], 300) << i;
}

TEST_F(WindowAlone, LongRepetitionIsPastItsWindowAndTheNextOneLate) {
  Sync sync = make(fixed(300));
  const Visit made = visit(sync, {.repetitions = 4, .capacity = 8},
                           [](std::size_t i) { return i == 1 ? 320 : 100; });
  ASSERT_THAT(made.flags, SizeIs(6)) << "two more for the two that do not count";
  EXPECT_EQ(made.flags[0], 0);
  EXPECT_EQ(made.flags[1], record::kPastWindow);
  EXPECT_EQ(made.flags[2], record::kLate);
  EXPECT_EQ(made.flags[3], 0);
}

TEST_F(WindowAlone, RankThatWaitedForAStartIsLostAndNotLate) {
  Sync sync = make(fixed(300));
  std::size_t repetition = 0;
  // The processor is gone while the rank waits for its third start, by more than a gap's limit.
  time_.before_reading = [&](DrivenTime& time) {
    if (repetition == 2 && time.now > waits_since_ + 10) {
      time.now += 320;
      repetition = 100;
    }
  };
  const Visit made =
      visit(sync, {.repetitions = 4, .capacity = 40, .lost_limit_ticks = 60}, [&](std::size_t i) {
        repetition = repetition == 100 ? 100 : i + 1;
        waits_since_ = time_.now + 100;
        return 100;
      });
  EXPECT_EQ(made.flags[2] & (record::kLate | record::kLost), record::kLost);
  EXPECT_NE(made.flags[2] & record::kApart, 0) << "320 are more than 60";
  EXPECT_GT(made.flags.size(), 4U) << "it is made once more";
}

TEST_F(WindowAlone, LossesDoNotMakeWindowsLonger) {
  Windows windows(kWindowLimits);
  windows.begin({.repetitions = 100, .capacity = 1000, .call_ticks = 100});
  windows.next({});
  windows.next({.lost = 0b1111, .busy_ticks = 290});
  EXPECT_EQ(windows.length_ticks(), 300);
  EXPECT_EQ(windows.valid(), 0U);
}

TEST_F(WindowAlone, VisitEndsWhereMostAreLost) {
  Windows windows(kWindowLimits);
  const auto made = [&] {
    windows.begin({.repetitions = 20, .capacity = 1000, .call_ticks = 100});
    bool goes_on = windows.next({.before = windows.before()});
    std::uint32_t all = 0;
    while (goes_on && all < 1000) {
      all += windows.in_block();
      goes_on = windows.next({.lost = ~std::uint64_t{0}, .busy_ticks = 290});
    }
    return all;
  };
  EXPECT_EQ(made(), 1000U) << "the first visit may have met a bad stretch";
  const std::uint32_t second = made();
  EXPECT_GE(second, 20U);
  EXPECT_LT(second, 50U);
}

TEST(Windows, ShortWarmUpLeavesNoMoreRetriesThanTheCap) {
  for (const std::uint32_t retries : {0U, 4U}) {
    Windows windows(kWindowLimits);
    windows.begin({.repetitions = 10,
                   .capacity = 50 + 10 + retries,
                   .measured_capacity = 10 + retries,
                   .warm_up = 3});
    std::uint32_t made = 0;
    while (windows.next({.invalid = ~std::uint64_t{0}})) made += windows.in_block();
    EXPECT_EQ(made, 3 + 10 + retries);
  }
}

TEST_F(WindowAlone, LastOneOfABlockMayBePastItsWindowToo) {
  Sync sync = make(fixed(300));
  const Visit made = visit(sync, {.repetitions = 4, .capacity = 8},
                           [](std::size_t i) { return i == 3 ? 320 : 100; });
  ASSERT_THAT(made.flags, SizeIs(5));
  EXPECT_EQ(made.flags[3], record::kPastWindow);
  EXPECT_EQ(made.flags[4], 0);
}

TEST_F(WindowAlone, TooShortFixedWindowsGiveNoValidRepetition) {
  Sync sync = make(fixed(300));
  const Visit made =
      visit(sync, {.repetitions = 6, .capacity = 12}, [](std::size_t) { return 900; });
  EXPECT_THAT(made.flags, SizeIs(12));
  for (const std::uint16_t flags : made.flags) EXPECT_NE(flags & record::kLeftOut, 0);
}

TEST_F(WindowAlone, AdaptiveWindowsFindTheirLength) {
  Sync sync = make();
  const Visit made = visit(sync, {.repetitions = 50, .capacity = 100, .call_ticks = 10},
                           [](std::size_t) { return 900; });
  EXPECT_LT(made.flags.size(), 60U);
  EXPECT_GT(sync.slack_ticks(), 900);
  EXPECT_LT(sync.slack_ticks(), 2000);
}

TEST_F(WindowAlone, InterruptionsDoNotLengthenWindows) {
  Sync sync = make();
  visit(sync, {.repetitions = 200, .capacity = 450, .call_ticks = 900},
        [](std::size_t i) { return i % 7 == 6 ? 500'000 : 900; });
  EXPECT_GT(sync.slack_ticks(), 900);
  EXPECT_LT(sync.slack_ticks(), 2800);
}

TEST_F(WindowAlone, HaveRoomForTheDither) {
  Sync sync = make();
  const Visit made =
      visit(sync, {.repetitions = 50, .capacity = 100, .dither_ticks = 1000, .call_ticks = 10},
            [](std::size_t) { return 300; });
  EXPECT_GT(sync.slack_ticks(), 1300);
  EXPECT_LT(made.flags.size(), 60U);
}

TEST_F(WindowAlone, ErrorEndsTheVisitWithTheBlock) {
  Sync sync = make(fixed(300));
  const Visit made = visit(sync, {.repetitions = 50, .capacity = 100}, [&](std::size_t i) {
    if (i == 2) sync.note_error();
    return 100;
  });
  EXPECT_THAT(made.flags, SizeIs(4));
}

TEST_F(WindowAlone, WhoIsLateIsInItsLibraryMeanwhile) {
  auto sync = make(fixed(10'000));
  const Visit made = visit(sync,
                           {.repetitions = 6,
                            .capacity = 12,
                            .delay_ticks = 2000,
                            .while_late = [](void* it) { ++*static_cast<std::int64_t*>(it); },
                            .while_late_context = &calls_while_late_},
                           [](std::size_t) { return 100; });
  EXPECT_THAT(made.flags, Each(0));
  EXPECT_NEAR(static_cast<double>(calls_while_late_),
              2000.0 * static_cast<double>(made.flags.size()), 100);
}

}  // namespace
}  // namespace invar::engine::test
