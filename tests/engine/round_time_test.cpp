// Round-time synchronisation: alone on a clock that the test drives, and between threads and
// processes on the real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "engine/group.hpp"
#include "engine/sync.hpp"
#include "engine/turns.hpp"

namespace invar::engine::test {
namespace {

using testing::Each;

// A clock that advances by `step` at every reading, and further whenever the test says so.
struct DrivenTime {
  std::int64_t now = 1000;
  std::int64_t step = 1;
  std::int64_t readings = 0;
  std::function<void(DrivenTime&)> before_reading = [](DrivenTime&) {};
};
struct DrivenClock {
  DrivenTime* time;
  [[nodiscard]] std::int64_t now() const {
    time->before_reading(*time);
    ++time->readings;
    return time->now += time->step;
  }
};

void no_watch(void* /*context*/) {}

using Driven = RoundTime<DrivenClock>;

constexpr Driven::Limits kLimits{.first_slack_ticks = 100,
                                 .least_slack_ticks = 10,
                                 .most_slack_ticks = 10'000,
                                 .interruption_ticks = 50,
                                 .visit_ticks = INT64_MAX};
constexpr WarmUp kNoWarmUp{.repetitions = 0, .min = 0, .ticks = 0};

// One rank alone: every arrival is the last one, so that the rules can be followed step by step.
class RoundTimeAlone : public testing::Test {
 protected:
  Driven make(WarmUp warm_up = kNoWarmUp, Driven::Limits limits = kLimits) {
    return Driven(page_, DrivenClock{&time_}, Dither(1, 0), warm_up, limits, no_watch, nullptr);
  }

  // A visit whose operation takes `operation_ticks`; the flags of its repetitions.
  std::vector<std::uint16_t> visit(Driven& sync, std::uint32_t repetitions, std::uint32_t capacity,
                                   std::int64_t operation_ticks = 1,
                                   const std::function<void(std::size_t)>& operation = {}) {
    sync.begin({.repetitions = repetitions, .capacity = capacity});
    std::vector<std::uint16_t> flags;
    for (std::uint16_t flag = 0; sync.wait(flag); flag = 0) {
      flags.push_back(flag);
      time_.now += operation_ticks;
      if (operation) operation(flags.size());
      if (flags.size() > 10'000) throw std::runtime_error("it does not end");
    }
    return flags;
  }

  // Of the next visit, the repetitions with these numbers (from 0) start late: between the
  // agreement and the first look at the clock the rank loses 20000 ticks.
  void late_at(const std::set<std::size_t>& repetitions) {
    auto repetition = std::make_shared<std::size_t>(0);
    const ArmPage& arm = page_.mine();
    auto seen = std::make_shared<std::uint32_t>(arm.start.sequence.load());
    time_.before_reading = [=, &arm](DrivenTime& time) {
      const std::uint32_t sequence = arm.start.sequence.load();
      if (sequence == *seen) return;
      *seen = sequence;  // the first reading after an agreement
      if (repetitions.contains((*repetition)++)) time.now += 20'000;
    };
  }

  const Page page_ = Page::attach(page_name("alone"), {}, {});
  DrivenTime time_ = {};
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
  Driven sync = make();
  late_at({3, 7});
  const auto flags = visit(sync, 10, 100);
  ASSERT_EQ(flags.size(), 1U + 10 + 2);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    EXPECT_EQ(flags[i], i == 3 || i == 7 ? record::kLate : 0) << "repetition " << i;
  }
  EXPECT_EQ(sync.valid(), 10U);
  EXPECT_EQ(page_.mine().agreement.late, 2U);
}

TEST_F(RoundTimeAlone, LateWarmUpIsNotRepeated) {
  Driven sync = make({.repetitions = 5, .min = 3, .ticks = INT64_MAX});
  late_at({0, 1, 4});
  EXPECT_EQ(visit(sync, 10, 100).size(), 15U);
  EXPECT_EQ(page_.mine().agreement.late, 0U);
}

TEST_F(RoundTimeAlone, AlwaysLateStopsAtTheCapWithNothingValid) {
  // Every look at the clock costs more than any slack that is allowed.
  Driven::Limits limits = kLimits;
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
  Driven::Limits limits = kLimits;
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

TEST_F(RoundTimeAlone, GapThatLeadsFarBeyondTheDeadlineIsLateAsWell) {
  Driven sync = make();
  time_.before_reading = [&](DrivenTime& time) {
    if (time.readings == 60) time.now += 500;
  };
  EXPECT_EQ(visit(sync, 5, 50).front(), record::kInterrupted | record::kLate);
}

TEST_F(RoundTimeAlone, SlackGrowsWithLateOnesAndShrinksWithoutAndStaysInItsLimits) {
  Driven::Limits limits = kLimits;
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
  Driven sync = make();
  late_at({1, 2, 3});
  visit(sync, 10, 100);
  const std::int64_t slack = sync.slack_ticks();
  EXPECT_GT(slack, kLimits.first_slack_ticks);
  page_.mine().late = 1;  // left over from the last repetition
  time_.before_reading = [](DrivenTime&) {};
  EXPECT_EQ(visit(sync, 4, 100).size(), 5U);
  EXPECT_EQ(sync.valid(), 4U);
  EXPECT_EQ(page_.mine().agreement.late, 0U);
  EXPECT_LE(sync.slack_ticks(), slack);
}

TEST(DitherTest, WaitsLessThanItsAmplitudeAndAllOfItsRange) {
  DrivenTime time;
  Dither dither(42, 1000);
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  double sum = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t before = time.now;
    dither.wait(DrivenClock{&time});
    const std::int64_t waited = time.now - before;
    least = std::min(least, waited);
    most = std::max(most, waited);
    sum += static_cast<double>(waited);
  }
  EXPECT_LT(least, 10);
  EXPECT_GT(most, 990);
  EXPECT_LE(most, 1002);
  EXPECT_NEAR(sum / kDraws, 500, 25);  // five standard errors
}

// Ticks of MPI_Wtime are picoseconds: a second is above 2^39 of them.
TEST(DitherTest, LongAmplitudesAreUsedToTheirEnd) {
  DrivenTime time;
  time.step = std::int64_t{1} << 30U;
  Dither dither(42, 1'000'000'000'000);
  std::int64_t most = 0;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t before = time.now;
    dither.wait(DrivenClock{&time});
    most = std::max(most, time.now - before);
  }
  EXPECT_GT(most, 900'000'000'000);
  EXPECT_LT(most, 1'004'000'000'000);
}

TEST(DitherTest, RanksDrawDifferentlyAndTheSameSeedDrawsTheSame) {
  const auto draws = [](std::uint64_t seed) {
    DrivenTime time;
    Dither dither(seed, 100'000);
    std::vector<std::int64_t> ends;
    for (int i = 0; i < 20; ++i) {
      dither.wait(DrivenClock{&time});
      ends.push_back(time.now);
    }
    return ends;
  };
  EXPECT_EQ(draws(2), draws(2));
  EXPECT_NE(draws(2), draws(4));
}

TEST(DitherTest, SwitchedOffItDoesNotEvenReadTheClock) {
  DrivenTime time;
  Dither dither(1, 0);
  dither.wait(DrivenClock{&time});
  EXPECT_EQ(time.readings, 0);
}

// --- several ranks on the real clock ---------------------------------------------------------

using clock::MonotonicRawClock;
using Real = RoundTime<MonotonicRawClock>;

constexpr std::uint32_t kMaxRepetitions = 100;

struct RankTimes {
  std::array<std::int64_t, kMaxRepetitions> begin_ns{};
  std::array<std::int64_t, kMaxRepetitions> end_ns{};
  std::array<std::uint16_t, kMaxRepetitions> flags{};
  std::uint32_t repetitions = 0;
  std::uint32_t valid = 0;
  std::uint32_t warm_up = 0;
};
using GroupTimes = std::array<RankTimes, 9>;

// Yields instead of spinning: the machine may have fewer cores than ranks.
Real::Limits real_limits() {
  return {.first_slack_ticks = 20'000,
          .least_slack_ticks = 1'000,
          .most_slack_ticks = 10'000'000,
          .interruption_ticks = 1'000'000,
          .visit_ticks = INT64_MAX,
          .yield = true};
}

void measure(const Page& page, std::uint32_t repetitions, std::uint32_t capacity, int visits,
             RankTimes& times) {
  Real sync(page, MonotonicRawClock{}, Dither(page.place().local_rank + 1, 1000),
            {.repetitions = 5, .min = 3, .ticks = INT64_MAX}, real_limits(), no_watch, nullptr);
  for (int visit = 0; visit < visits; ++visit) {
    times = RankTimes{};
    sync.begin({.repetitions = repetitions,
                .capacity = capacity,
                .local_members = page.shape().local_ranks,
                .local_index = page.place().local_rank,
                .dither_ticks = 1000});
    std::uint32_t i = 0;
    for (; sync.wait(times.flags.at(i)); ++i) {
      times.begin_ns.at(i) = MonotonicRawClock::now();
      times.end_ns.at(i) = MonotonicRawClock::now();
    }
    times.repetitions = i;
    times.valid = sync.valid();
    times.warm_up = sync.warm_up();
  }
}

void expect_common_starts(const GroupTimes& times, std::uint32_t ranks, std::uint32_t repetitions,
                          std::uint32_t capacity) {
  const RankTimes& first = times[0];
  EXPECT_EQ(first.warm_up, 5U);
  EXPECT_TRUE(first.valid == repetitions || first.repetitions == capacity)
      << first.valid << " valid of " << first.repetitions;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    ASSERT_EQ(times.at(rank).repetitions, first.repetitions) << "rank " << rank;
    EXPECT_EQ(times.at(rank).valid, first.valid) << "rank " << rank;
  }
  // Valid is what no rank started late.
  std::uint32_t valid = 0;
  for (std::uint32_t i = 0; i < first.repetitions; ++i) {
    bool late = false;
    std::int64_t begin_ns = INT64_MAX;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      late = late || (times.at(rank).flags.at(i) & record::kLate) != 0;
      begin_ns = std::min(begin_ns, times.at(rank).begin_ns.at(i));
    }
    valid += i >= first.warm_up && !late ? 1U : 0U;
    for (std::uint32_t rank = 0; i > 0 && rank < ranks; ++rank) {
      ASSERT_GE(begin_ns, times.at(rank).end_ns.at(i - 1))
          << "repetition " << i << " began before rank " << rank << " had ended the one before";
    }
  }
  EXPECT_EQ(valid, first.valid);
}

class RoundTimeBetween : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RoundTimeBetween, ThreadsAgreeOnEveryStartAndOnTheEnd) {
  const std::uint32_t ranks = GetParam();
  const std::string name = page_name("threads");
  const auto times = std::make_unique<GroupTimes>();
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const Page page = Page::attach(name, {.arms = 1, .local_ranks = ranks}, {.local_rank = rank});
      measure(page, 30, 60, 2, times->at(rank));
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_common_starts(*times, ranks, 30, 60);
}

TEST_P(RoundTimeBetween, ProcessesAgreeOnEveryStartAndOnTheEnd) {
  const std::uint32_t ranks = GetParam();
  const std::string name = page_name("processes");
  const Shared<GroupTimes> times;
  const Page::Shape shape{.arms = 1, .local_ranks = ranks};
  ForkedGroup processes(shape, [&](std::uint32_t /*arm*/, std::uint32_t rank) {
    const Page page = Page::attach(name, shape, {.local_rank = rank});
    measure(page, 30, 60, 2, times->at(rank));
  });
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  expect_common_starts(*times, ranks, 30, 60);
}

// Nine ranks have a tree of arrival counters.
INSTANTIATE_TEST_SUITE_P(Ranks, RoundTimeBetween, testing::Values(2U, 3U, 9U));

TEST(RoundTimeTest, OneRankThatIsLateMakesTheRepetitionLateForAll) {
  const std::string name = page_name("late");
  const Page::Shape shape{.arms = 1, .local_ranks = 2};
  const Shared<GroupTimes> times;
  // Rank 1 never makes it: its clock is far ahead, so that every deadline has passed for it.
  struct Ahead {
    std::int64_t ahead_ns = 0;
    [[nodiscard]] std::int64_t now() const { return MonotonicRawClock::now() + ahead_ns; }
  };
  ForkedGroup processes(shape, [&](std::uint32_t /*arm*/, std::uint32_t rank) {
    const Page page = Page::attach(name, shape, {.local_rank = rank});
    auto limits = RoundTime<Ahead>::Limits{.first_slack_ticks = 10'000,
                                           .least_slack_ticks = 1'000,
                                           .most_slack_ticks = 20'000,
                                           .interruption_ticks = 1'000'000,
                                           .visit_ticks = INT64_MAX,
                                           .yield = true};
    // Rank 0 sets the deadlines, because rank 1 arrives first; where it does not, its own deadline
    // lies in rank 0's distant future, which ends at rank 0's next agreement.
    RoundTime<Ahead> sync(page, Ahead{rank == 1 ? 1'000'000 : 0}, Dither(rank + 1, 0), kNoWarmUp,
                          limits, no_watch, nullptr);
    sync.begin({.repetitions = 10, .capacity = 40, .local_members = 2, .local_index = rank});
    RankTimes& mine = times->at(rank);
    for (; sync.wait(mine.flags.at(mine.repetitions)); ++mine.repetitions) {
      if (rank == 0) sched_yield();
    }
    mine.valid = sync.valid();
  });
  EXPECT_THAT(processes.wait(), Each(Ending::kDone));
  EXPECT_EQ((*times)[0].repetitions, (*times)[1].repetitions);
  EXPECT_EQ((*times)[0].valid, (*times)[1].valid);
  // Whoever was late, it counted once for both.
  std::uint32_t late = 0;
  for (std::uint32_t i = 1; i < (*times)[0].repetitions; ++i) {
    late += (((*times)[0].flags.at(i) | (*times)[1].flags.at(i)) & record::kLate) != 0 ? 1U : 0U;
  }
  EXPECT_GT(late, 0U);
  EXPECT_EQ((*times)[0].repetitions, 1 + late + (*times)[0].valid);
}

TEST(RoundTimeTest, WaitForAPartnerThatNeverComesIsWatched) {
  const std::string name = page_name("watch");
  const Page page = Page::attach(name, {.arms = 1, .local_ranks = 2}, {});
  int watched = 0;
  Real sync(
      page, MonotonicRawClock{}, Dither(1, 0), kNoWarmUp, real_limits(),
      [](void* context) {
        ++*static_cast<int*>(context);
        throw GroupLost("gone");
      },
      &watched);
  sync.begin({.repetitions = 10, .capacity = 20, .local_members = 2});
  std::uint16_t flags = 0;
  EXPECT_THROW(sync.wait(flags), GroupLost);
  EXPECT_EQ(watched, 1);
  shm_unlink(("/invar-" + name).c_str());
}

}  // namespace
}  // namespace invar::engine::test
