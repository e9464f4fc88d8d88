// Round-time synchronisation between threads and processes, on the real clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include "engine/sync/sync.hpp"
#include "group/forked.hpp"
#include "group/turns.hpp"

namespace invar::engine::test {
namespace {

using clock::MonotonicRawClock;
using testing::Each;
using Real = RoundTime<MonotonicRawClock>;

void no_watch_in_group(void* /*context*/) {}

constexpr WarmUp kNoWarmUpInGroup{.repetitions = 0, .min = 0, .ticks = 0};

constexpr std::uint32_t kMostInGroup = 100;

struct RankTimes {
  std::array<std::int64_t, kMostInGroup> begin_ns{};
  std::array<std::int64_t, kMostInGroup> end_ns{};
  std::array<std::uint16_t, kMostInGroup> flags{};
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

void measure(const group::Page& page, std::uint32_t repetitions, std::uint32_t capacity, int visits,
             RankTimes& times) {
  Real sync(page, MonotonicRawClock{}, Dither(page.place().local_rank + 1, 1000),
            {.repetitions = 5, .min = 3, .ticks = INT64_MAX}, real_limits(), no_watch_in_group,
            nullptr);
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
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    ASSERT_EQ(times.at(rank).repetitions, first.repetitions) << "rank " << rank;
    EXPECT_EQ(times.at(rank).valid, first.valid) << "rank " << rank;
  }
  // Valid is what all ranks started together.
  std::uint32_t valid = 0;
  std::uint32_t lost = 0;
  for (std::uint32_t i = 0; i < first.repetitions; ++i) {
    std::uint32_t flags = 0;
    std::int64_t begin_ns = INT64_MAX;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      flags |= times.at(rank).flags.at(i);
      begin_ns = std::min(begin_ns, times.at(rank).begin_ns.at(i));
    }
    if (i >= first.warm_up && (flags & record::kLate) == 0) {
      ++((flags & record::kLost) != 0 ? lost : valid);
    }
    for (std::uint32_t rank = 0; i > 0 && rank < ranks; ++rank) {
      ASSERT_GE(begin_ns, times.at(rank).end_ns.at(i - 1))
          << "repetition " << i << " began before rank " << rank << " had ended the one before";
    }
  }
  EXPECT_EQ(valid, first.valid);
  EXPECT_TRUE(has_enough(valid, lost, repetitions, true) || first.repetitions == capacity)
      << valid << " valid, " << lost << " lost of " << first.repetitions;
}

class RoundTimeBetween : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RoundTimeBetween, ThreadsAgreeOnEveryStartAndOnTheEnd) {
  const std::uint32_t ranks = GetParam();
  const std::string name = group::test::page_name("threads");
  const auto times = std::make_unique<GroupTimes>();
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const group::Page page =
          group::Page::attach(name, {.arms = 1, .local_ranks = ranks}, {.local_rank = rank});
      measure(page, 30, 60, 2, times->at(rank));
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_common_starts(*times, ranks, 30, 60);
}

TEST_P(RoundTimeBetween, ProcessesAgreeOnEveryStartAndOnTheEnd) {
  const std::uint32_t ranks = GetParam();
  const std::string name = group::test::page_name("processes");
  const group::test::Shared<GroupTimes> times;
  const group::Page::Shape shape{.arms = 1, .local_ranks = ranks};
  group::test::ForkedGroup processes(shape, [&](std::uint32_t /*arm*/, std::uint32_t rank) {
    const group::Page page = group::Page::attach(name, shape, {.local_rank = rank});
    measure(page, 30, 60, 2, times->at(rank));
  });
  EXPECT_THAT(processes.wait(), Each(group::test::Ending::kDone));
  expect_common_starts(*times, ranks, 30, 60);
}

// Nine ranks have a tree of arrival counters.
INSTANTIATE_TEST_SUITE_P(Ranks, RoundTimeBetween, testing::Values(2U, 3U, 9U));

TEST(RoundTimeTest, OneRankThatIsLateMakesTheRepetitionLateForAll) {
  const std::string name = group::test::page_name("late");
  const group::Page::Shape shape{.arms = 1, .local_ranks = 2};
  const group::test::Shared<GroupTimes> times;
  // Rank 1 never makes it: its clock is far ahead, so that every deadline has passed for it.
  struct Ahead {
    std::int64_t ahead_ns = 0;
    [[nodiscard]] std::int64_t now() const { return MonotonicRawClock::now() + ahead_ns; }
  };
  group::test::ForkedGroup processes(shape, [&](std::uint32_t /*arm*/, std::uint32_t rank) {
    const group::Page page = group::Page::attach(name, shape, {.local_rank = rank});
    auto limits = RoundTime<Ahead>::Limits{.first_slack_ticks = 10'000,
                                           .least_slack_ticks = 1'000,
                                           .most_slack_ticks = 20'000,
                                           .interruption_ticks = 1'000'000,
                                           .visit_ticks = INT64_MAX,
                                           .yield = true};
    // Rank 0 sets the deadlines, because rank 1 arrives first; where it does not, its own deadline
    // lies in rank 0's distant future, which ends at rank 0's next agreement.
    RoundTime<Ahead> sync(page, Ahead{rank == 1 ? 1'000'000 : 0}, Dither(rank + 1, 0),
                          kNoWarmUpInGroup, limits, no_watch_in_group, nullptr);
    sync.begin({.repetitions = 10, .capacity = 40, .local_members = 2, .local_index = rank});
    RankTimes& mine = times->at(rank);
    for (; sync.wait(mine.flags.at(mine.repetitions)); ++mine.repetitions) {
      if (rank == 0) sched_yield();
    }
    mine.valid = sync.valid();
  });
  EXPECT_THAT(processes.wait(), Each(group::test::Ending::kDone));
  EXPECT_EQ((*times)[0].repetitions, (*times)[1].repetitions);
  EXPECT_EQ((*times)[0].valid, (*times)[1].valid);
  // Whoever was late, it counted once for both.
  std::uint32_t late = 0;
  for (std::uint32_t i = 1; i < (*times)[0].repetitions; ++i) {
    const unsigned flags = (*times)[0].flags.at(i) | (*times)[1].flags.at(i);
    late += (flags & record::kNotTogether) != 0 ? 1U : 0U;
  }
  EXPECT_GT(late, 0U);
  EXPECT_EQ((*times)[0].repetitions, 1 + late + (*times)[0].valid);
}

TEST(RoundTimeTest, WaitForAPartnerThatNeverComesIsWatched) {
  const std::string name = group::test::page_name("watch");
  const group::Page page = group::Page::attach(name, {.arms = 1, .local_ranks = 2}, {});
  int watched = 0;
  Real sync(
      page, MonotonicRawClock{}, Dither(1, 0), kNoWarmUpInGroup, real_limits(),
      [](void* context) {
        ++*static_cast<int*>(context);
        throw group::GroupLost("gone");
      },
      &watched);
  sync.begin({.repetitions = 10, .capacity = 20, .local_members = 2});
  std::uint16_t flags = 0;
  EXPECT_THROW(sync.wait(flags), group::GroupLost);
  EXPECT_EQ(watched, 1);
  shm_unlink(("/invar-" + name).c_str());
}

}  // namespace
}  // namespace invar::engine::test
