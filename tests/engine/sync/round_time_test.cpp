// Round-time synchronisation of one rank alone, on a clock that the test drives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "engine/driven_clock.hpp"
#include "engine/sync/sync.hpp"
#include "group/forked.hpp"

namespace invar::engine::test {
namespace {

using testing::Each;

void no_watch(void* /*context*/) {}

using Driven = RoundTime<DrivenClock>;

constexpr Driven::Limits kRoundLimits{.first_slack_ticks = 100,
                                      .least_slack_ticks = 10,
                                      .most_slack_ticks = 10'000,
                                      .interruption_ticks = 50,
                                      .visit_ticks = INT64_MAX};
// A gap is not a sign of a lost processor there: who passes a deadline was not ready for it.
constexpr Driven::Limits kNeverLost{.first_slack_ticks = 100,
                                    .least_slack_ticks = 10,
                                    .most_slack_ticks = 10'000,
                                    .interruption_ticks = 1'000'000,
                                    .visit_ticks = INT64_MAX};
constexpr WarmUp kNoWarmUp{.repetitions = 0, .min = 0, .ticks = 0};

// One rank alone: every arrival is the last one, so that the rules can be followed step by step.
class RoundTimeAlone : public testing::Test {
 protected:
  Driven make(WarmUp warm_up = kNoWarmUp, Driven::Limits limits = kRoundLimits) {
    return Driven(page_, DrivenClock{&time_}, Dither(1, 0), warm_up, limits, no_watch, nullptr);
  }

  // A visit whose operation takes `operation_ticks`; the flags of its repetitions.
  std::vector<std::uint16_t> visit(Driven& sync, std::uint32_t repetitions, std::uint32_t capacity,
                                   std::int64_t operation_ticks = 1,
                                   const std::function<void(std::size_t)>& operation = {}) {
    sync.begin(
        {.repetitions = repetitions, .capacity = capacity, .lost_limit_ticks = lost_limit_ticks_});
    std::vector<std::uint16_t> flags;
    for (std::uint16_t flag = 0; sync.wait(flag); flag = 0) {
      flags.push_back(flag);
      time_.now += operation_ticks;
      if (operation) operation(flags.size());
      if (flags.size() > 10'000) throw std::runtime_error("it does not end");
    }
    return flags;
  }

  // In the repetitions of the next visit with these numbers (from 0) 20000 ticks pass between the
  // agreement and the rank's first look at the clock: it was not ready (kNeverLost), or had no
  // processor.
  void late_at(const std::set<std::size_t>& repetitions) {
    auto repetition = std::make_shared<std::size_t>(0);
    const group::ArmPage& arm = page_.mine();
    auto seen = std::make_shared<std::uint32_t>(arm.start.sequence.load());
    time_.before_reading = [=, &arm](DrivenTime& time) {
      const std::uint32_t sequence = arm.start.sequence.load();
      if (sequence == *seen) return;
      *seen = sequence;  // the first reading after an agreement
      if (repetitions.contains((*repetition)++)) time.now += 20'000;
    };
  }

  const group::Page page_ = group::Page::attach(group::test::page_name("alone"), {}, {});
  DrivenTime time_ = {};
  std::int64_t lost_limit_ticks_ = 0;
};

TEST_F(RoundTimeAlone, VisitEndsAfterTheRepetitionsAskedFor) {
  Driven sync = make();
  // Without any warm-up the first repetition still is one: it may be the library's first call.
  const auto flags = visit(sync, 10, 100);
  EXPECT_EQ(flags.size(), 11U);
  EXPECT_THAT(flags, Each(0));
  EXPECT_EQ(sync.valid(), 10U);
  EXPECT_EQ(sync.warm_up(), 1U);
}

TEST_F(RoundTimeAlone, EveryRepetitionStartsAtTheDeadlineAndNotBefore) {
  Driven sync = make();
  sync.begin({.repetitions = 50, .capacity = 100});
  for (std::uint16_t flags = 0; sync.wait(flags);) {
    EXPECT_GE(time_.now, page_.mine().start.deadline_ticks);
    EXPECT_LE(time_.now, page_.mine().start.deadline_ticks + time_.step);
  }
}

TEST_F(RoundTimeAlone, ShortCallsWarmUpByNumber) {
  Driven sync = make({.repetitions = 20, .min = 3, .ticks = INT64_MAX});
  EXPECT_EQ(visit(sync, 10, 100).size(), 30U);
  EXPECT_EQ(sync.warm_up(), 20U);
}

TEST_F(RoundTimeAlone, LongCallsWarmUpByTimeButAtLeastThreeTimes) {
  Driven sync = make({.repetitions = 20, .min = 3, .ticks = 5'000});
  EXPECT_EQ(visit(sync, 10, 100, 50'000).size(), 13U);
  EXPECT_EQ(sync.warm_up(), 3U);
}

TEST_F(RoundTimeAlone, WarmUpEndsInBetweenWhenItsTimeIsOver) {
  Driven sync = make({.repetitions = 20, .min = 3, .ticks = 8'000});
  visit(sync, 10, 100, 1'000);
  EXPECT_GT(sync.warm_up(), 3U);
  EXPECT_LT(sync.warm_up(), 9U);
}

TEST_F(RoundTimeAlone, LateRepetitionsAreFlaggedAndRepeated) {
  Driven sync = make(kNoWarmUp, kNeverLost);
  late_at({3, 7});
  const auto flags = visit(sync, 10, 100);
  ASSERT_EQ(flags.size(), 1U + 10 + 2);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    EXPECT_EQ(flags[i], i == 3 || i == 7 ? record::kLate : 0) << "repetition " << i;
  }
  EXPECT_EQ(sync.valid(), 10U);
  EXPECT_EQ(page_.mine().agreement.late, 2U);
}

// On a machine that takes the processor away now and then: how often a wait ends in such a gap does
// not depend on its length, and longer ones would only cost time.
TEST_F(RoundTimeAlone, LosingTheProcessorOnTheWayDoesNotWidenTheSlackNorRepeatForEver) {
  Driven sync = make();
  const group::ArmPage& arm = page_.mine();
  std::uint32_t seen = arm.start.sequence.load();
  int readings = 0;
  time_.before_reading = [&](DrivenTime& time) {
    if (arm.start.sequence.load() != seen) {
      seen = arm.start.sequence.load();
      readings = 0;
    }
    if (++readings == 2) time.now += 20'000;
  };
  EXPECT_EQ(visit(sync, 10, 300).size(), 300U) << "the first visit may have met a bad stretch";
  const auto flags = visit(sync, 10, 300);
  EXPECT_EQ(flags.size(), 1 + kFewestToTell) << "so many show that others are no better";
  EXPECT_THAT(flags, Each(record::kLost | record::kApart | record::kInterrupted));
  EXPECT_LE(sync.slack_ticks(), kRoundLimits.first_slack_ticks);
}

TEST_F(RoundTimeAlone, RankThatHadArrivedIsLostAndNotLateHoweverLateItLooks) {
  Driven sync = make();
  late_at({3, 7});
  const auto flags = visit(sync, 10, 100);
  ASSERT_EQ(flags.size(), 1U + 10 + 2) << "they are repeated";
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool lost = i == 3 || i == 7;
    EXPECT_EQ(flags[i], lost ? record::kLost | record::kApart | record::kInterrupted : 0)
        << "repetition " << i;
  }
  EXPECT_EQ(sync.valid(), 10U);
  EXPECT_EQ(page_.mine().agreement.late, 0U);
  EXPECT_EQ(page_.mine().agreement.lost, 2U);
  EXPECT_LE(sync.slack_ticks(), kRoundLimits.first_slack_ticks);
}

TEST_F(RoundTimeAlone, LossThatDoesNotMatterIsFlaggedAndCounts) {
  lost_limit_ticks_ = 30'000;
  Driven sync = make();
  late_at({3, 7});
  const auto flags = visit(sync, 10, 100);
  ASSERT_EQ(flags.size(), 1U + 10);
  EXPECT_EQ(flags[3], record::kLost | record::kInterrupted);
  EXPECT_EQ(sync.valid(), 10U);
}

// What a rank starts late on purpose is not a loss, however much more it is than the limit.
TEST_F(RoundTimeAlone, ArrivalPatternDoesNotHideALossNorAddToIt) {
  for (const std::int64_t limit_ticks : {10'000, 30'000}) {
    Driven sync = make();
    late_at({3});
    sync.begin({.repetitions = 5,
                .capacity = 50,
                .lost_limit_ticks = limit_ticks,
                .delay_ticks = 15'000});  // the loss of 20000 leads about 5000 beyond it
    std::vector<std::uint16_t> flags(51);
    std::size_t made = 0;
    while (sync.wait(flags.at(made))) ++made;
    EXPECT_EQ(flags[3] & record::kApart, 0) << "limit " << limit_ticks;
    EXPECT_NE(flags[3] & record::kLost, 0) << "limit " << limit_ticks;
    EXPECT_EQ(made, 6U);
  }
}

// What is called is a library, whose calls take their time: the last one may end behind the start.
TEST_F(RoundTimeAlone, WhoIsLateIsInItsLibraryFromTheAgreedStartToItsOwn) {
  constexpr std::int64_t kDelayTicks = 15'000;
  constexpr std::int64_t kCallTicks = 40;
  struct Library {
    DrivenTime& time;
    std::vector<std::int64_t> called = {};
  } library{time_};
  VisitStart start{.repetitions = 5,
                   .capacity = 50,
                   .delay_ticks = kDelayTicks,
                   .while_late =
                       [](void* it) {
                         auto& called = *static_cast<Library*>(it);
                         called.called.push_back(called.time.now);
                         called.time.now += kCallTicks;
                       },
                   .while_late_context = &library};
  Driven sync = make();
  sync.begin(start);
  for (std::uint16_t flags = 0; sync.wait(flags); flags = 0) {
    EXPECT_EQ(flags, 0);
    const std::int64_t agreed_ticks = page_.mine().start.deadline_ticks;
    ASSERT_FALSE(library.called.empty());
    EXPECT_GE(library.called.front(), agreed_ticks);
    EXPECT_NEAR(static_cast<double>(library.called.size()),
                static_cast<double>(kDelayTicks) / (kCallTicks + 1), 2);
    EXPECT_GE(time_.now, agreed_ticks + kDelayTicks);
    EXPECT_LE(time_.now, agreed_ticks + kDelayTicks + kCallTicks + time_.step);
    library.called.clear();
  }
  start.delay_ticks = 0;
  sync.begin(start);
  for (std::uint16_t flags = 0; sync.wait(flags);) EXPECT_TRUE(library.called.empty());
}

// A call that ends long behind the start is a lost start, as a lost processor is.
TEST_F(RoundTimeAlone, WhoseLastCallIsLongBeginsLate) {
  Driven sync = make();
  sync.begin({.repetitions = 5,
              .capacity = 50,
              .lost_limit_ticks = 100,
              .delay_ticks = 15'000,
              .while_late = [](void* it) { static_cast<DrivenTime*>(it)->now += 20'000; },
              .while_late_context = &time_});
  std::uint16_t flags = 0;
  ASSERT_TRUE(sync.wait(flags));
  EXPECT_EQ(flags, record::kInterrupted | record::kLost | record::kApart);
}

TEST_F(RoundTimeAlone, EarlierVisitsThatWereKeptDoNotLetABadOneEndEarly) {
  Driven sync = make();
  EXPECT_EQ(visit(sync, 40, 300).size(), 41U);
  std::set<std::size_t> bad;
  for (std::size_t i = 1; i <= 30; ++i) bad.insert(i);
  late_at(bad);
  EXPECT_EQ(visit(sync, 10, 300).size(), 1U + 30 + 10) << "until there are as many as asked for";
  EXPECT_EQ(sync.valid(), 10U);
}

// There is room for a long warm-up, and this one is short.
TEST_F(RoundTimeAlone, ShortWarmUpLeavesNoMoreRetriesThanTheCap) {
  const WarmUp warm_up{.repetitions = 50, .min = 3, .ticks = 1};
  for (const std::uint32_t retries : {0U, 4U}) {
    Driven sync = make(warm_up, kNeverLost);
    late_at({3, 4, 5, 6, 7, 8, 9});
    sync.begin(
        {.repetitions = 10, .capacity = 50 + 10 + retries, .measured_capacity = 10 + retries});
    std::vector<std::uint16_t> flags(100);
    std::size_t made = 0;
    while (sync.wait(flags.at(made))) {
      ++made;
      time_.now += 10;
    }
    EXPECT_EQ(sync.warm_up(), 3U);
    EXPECT_EQ(made, 3 + 10 + retries);
    EXPECT_EQ(sync.valid(), 3 + retries);
  }
}

TEST_F(RoundTimeAlone, GapThatEndsHardlyBehindTheDeadlineIsNoLoss) {
  Driven sync = make();
  // The deadline lies 100 behind the third reading of the clock.
  time_.before_reading = [&](DrivenTime& time) {
    if (time.readings == 30) time.now += 100;
  };
  EXPECT_EQ(visit(sync, 5, 50).front(), record::kInterrupted);
}

TEST(RoundRules, LateAndLostIsLate) {
  const RoundRules rules(kNoWarmUp, kRoundLimits);
  group::Agreement state{};
  RoundRules::begin(state, 0);
  const VisitStart start{.repetitions = 10, .capacity = 100};
  EXPECT_FALSE(rules.judge(state, start, 1, 0, false)) << "the first one is warm-up";
  for (const std::uint32_t bits : {kLateBit, kLostBit, kLateBit | kLostBit, 0U}) {
    EXPECT_FALSE(rules.judge(state, start, 2, bits, false));
  }
  EXPECT_EQ(state.late, 2U);
  EXPECT_EQ(state.lost, 1U);
  EXPECT_EQ(state.valid, 1U);
}

TEST(Enough, IsWhatWasAskedForOrThatMostAreLostHereAndBefore) {
  for (const bool before : {false, true}) {
    EXPECT_TRUE(has_enough(50, 900, 50, before));
    EXPECT_FALSE(has_enough(49, 49, 50, before)) << "half of them: the next ones may be better";
    EXPECT_EQ(has_enough(20, 30, 50, before), before);
    EXPECT_FALSE(has_enough(10, 30, 50, before)) << "ten more attempts";
    EXPECT_FALSE(has_enough(0, 15, 3, before)) << "of a few all may be lost by chance";
    EXPECT_EQ(has_enough(0, 16, 3, before), before);
  }
}

TEST(StartHistory, IsOfACellAndSaysNothingBeforeItsFirstVisit) {
  StartHistory history;
  EXPECT_FALSE(StartHistory::lost_before(history.bits(4)));
  history.add(4, 10, 40);
  EXPECT_TRUE(StartHistory::lost_before(history.bits(4)));
  EXPECT_FALSE(StartHistory::lost_before(history.bits(5))) << "another cell";
  history.add(4, 50, 0);
  EXPECT_FALSE(StartHistory::lost_before(history.bits(4))) << "60 of 100 were kept";
}

TEST(StartHistory, OfRanksThatKnowOthersIsLostWhereNobodyKnowsOtherwise) {
  StartHistory lost;
  lost.add(1, 0, 9);
  StartHistory kept;
  kept.add(1, 9, 0);
  const StartHistory knows_nothing;
  EXPECT_TRUE(StartHistory::lost_before(lost.bits(1) | knows_nothing.bits(1)));
  EXPECT_FALSE(StartHistory::lost_before(lost.bits(1) | kept.bits(1)));
}

TEST_F(RoundTimeAlone, StartsThatWereMissedWidenTheSlack) {
  Driven sync = make(kNoWarmUp, kNeverLost);
  late_at({1, 2, 3, 4});
  visit(sync, 10, 30);
  EXPECT_GT(sync.slack_ticks(), 2 * kRoundLimits.first_slack_ticks);
}

TEST_F(RoundTimeAlone, LateWarmUpIsNotRepeated) {
  Driven sync = make({.repetitions = 5, .min = 3, .ticks = INT64_MAX}, kNeverLost);
  late_at({0, 1, 4});
  EXPECT_EQ(visit(sync, 10, 100).size(), 15U);
  EXPECT_EQ(page_.mine().agreement.late, 0U);
}

TEST_F(RoundTimeAlone, AlwaysLateStopsAtTheCapWithNothingValid) {
  // Every look at the clock costs more than any slack that is allowed.
  Driven::Limits limits = kRoundLimits;
  limits.first_slack_ticks = limits.most_slack_ticks = 5;
  limits.least_slack_ticks = 1;
  time_.step = 40;
  Driven sync = make(kNoWarmUp, limits);
  const auto flags = visit(sync, 10, 30);
  EXPECT_EQ(flags.size(), 30U);
  EXPECT_THAT(flags, Each(record::kLate));
  EXPECT_EQ(sync.valid(), 0U);
}

TEST_F(RoundTimeAlone, TimeBudgetEndsTheVisit) {
  Driven::Limits limits = kRoundLimits;
  limits.visit_ticks = 50'000;
  Driven sync = make(kNoWarmUp, limits);
  const auto flags = visit(sync, 1000, 2000, 10'000);
  EXPECT_GE(flags.size(), 5U);
  EXPECT_LE(flags.size(), 6U);
  EXPECT_LT(sync.valid(), 1000U);
}

TEST_F(RoundTimeAlone, ErrorOfACallEndsTheVisitAtTheNextStart) {
  Driven sync = make();
  const auto flags = visit(sync, 1000, 2000, 1, [&](std::size_t repetition) {
    if (repetition == 5) page_.mine().failed = 1;
  });
  EXPECT_EQ(flags.size(), 5U);
}

TEST_F(RoundTimeAlone, ErrorOfTheLastCallDoesNotEndTheNextVisit) {
  Driven sync = make();
  visit(sync, 4, 100, 1, [&](std::size_t repetition) {
    if (repetition == 5) page_.mine().failed = 1;
  });
  EXPECT_EQ(visit(sync, 4, 100).size(), 5U);
  EXPECT_EQ(sync.valid(), 4U);
}

TEST_F(RoundTimeAlone, GapWhileWaitingIsAnInterruption) {
  Driven sync = make();
  // In the middle of the first wait, well before its deadline.
  time_.before_reading = [&](DrivenTime& time) {
    if (time.readings == 20) time.now += 60;
  };
  const auto flags = visit(sync, 5, 50);
  EXPECT_EQ(flags.front(), record::kInterrupted);
  EXPECT_THAT(std::vector(flags.begin() + 1, flags.end()), Each(0));
}

TEST_F(RoundTimeAlone, GapThatLeadsFarBeyondTheDeadlineIsALoss) {
  Driven sync = make();
  time_.before_reading = [&](DrivenTime& time) {
    if (time.readings == 60) time.now += 500;
  };
  EXPECT_EQ(visit(sync, 5, 50).front(), record::kInterrupted | record::kLost | record::kApart);
}

TEST_F(RoundTimeAlone, SlackGrowsWithLateOnesAndShrinksWithoutAndStaysInItsLimits) {
  Driven::Limits limits = kNeverLost;
  limits.first_slack_ticks = 2048;
  limits.least_slack_ticks = 1900;
  limits.most_slack_ticks = 2600;
  Driven sync = make(kNoWarmUp, limits);
  late_at({2});
  sync.begin({.repetitions = 3000, .capacity = 6000});
  std::vector<std::int64_t> slacks;
  for (std::uint16_t flags = 0; sync.wait(flags);) slacks.push_back(sync.slack_ticks());
  EXPECT_EQ(slacks[0], 2048);
  EXPECT_EQ(slacks[1], 2046);
  EXPECT_EQ(slacks[2], 2044);
  EXPECT_EQ(slacks[3], 2044 + 511);
  EXPECT_EQ(slacks.back(), 1900);
  late_at({0, 1, 2, 3, 4});
  visit(sync, 3, 50);
  EXPECT_LE(sync.slack_ticks(), 2600);
  EXPECT_GT(sync.slack_ticks(), 2500);
}

TEST_F(RoundTimeAlone, NextVisitCountsAnewAndKeepsTheSlack) {
  Driven sync = make(kNoWarmUp, kNeverLost);
  late_at({1, 2, 3});
  visit(sync, 10, 100);
  const std::int64_t slack = sync.slack_ticks();
  EXPECT_GT(slack, kRoundLimits.first_slack_ticks);
  page_.mine().late = 1;  // left over from the last repetition
  time_.before_reading = [](DrivenTime&) {};
  EXPECT_EQ(visit(sync, 4, 100).size(), 5U);
  EXPECT_EQ(sync.valid(), 4U);
  EXPECT_EQ(page_.mine().agreement.late, 0U);
  EXPECT_LE(sync.slack_ticks(), slack);
}

}  // namespace
}  // namespace invar::engine::test
