// What a rank meets between the agreement on a start and its own first look at the clock: the
// release that takes a time of its own, a call of our own, a clock that is slow itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "engine/driven_clock.hpp"
#include "engine/sync/sync.hpp"
#include "group/forked.hpp"

namespace invar::engine::test {
namespace {

// Ticks are nanoseconds.
constexpr RoundLimits kReleaseLimits{.first_slack_ticks = 500,
                                     .least_slack_ticks = 200,
                                     .most_slack_ticks = 1'000'000,
                                     .interruption_ticks = 1000,
                                     .visit_ticks = INT64_MAX};
constexpr std::int64_t kLostLimitNs = 1000;
constexpr std::int64_t kReadingNs = 20;

// Two ranks of a host in one thread. Rank 0 comes first and is released by the other one.
class TwoRanks {
 public:
  struct Start {
    std::array<std::int64_t, 2> begin_ns = {};
    std::array<std::uint16_t, 2> flags = {};
    [[nodiscard]] std::int64_t skew_ns() const { return std::abs(begin_ns[0] - begin_ns[1]); }
    [[nodiscard]] bool has(unsigned flag) const { return ((flags[0] | flags[1]) & flag) != 0; }
  };

  TwoRanks() {
    for (DrivenTime& time : times_) time.step = kReadingNs;
  }

  // In repetition i rank 0's first reading after the agreement is `later_ns(i)` later.
  std::vector<Start> visit(std::uint32_t repetitions,
                           const std::function<std::int64_t(std::size_t)>& later_ns) {
    std::vector<Start> starts;
    const group::ArmPage& arm = page_.mine();
    std::uint32_t seen = arm.start.sequence.load();
    times_[0].before_reading = [&](DrivenTime& time) {
      if (arm.start.sequence.load() == seen) return;
      seen = arm.start.sequence.load();
      time.now += later_ns(starts.size());
    };
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      ranks_[rank].begin({.repetitions = repetitions,
                          .capacity = 2 * repetitions,
                          .local_members = 2,
                          .local_index = rank,
                          .lost_limit_ticks = kLostLimitNs});
    }
    while (true) {
      for (auto& rank : ranks_) rank.come();
      Start start;
      bool goes_on = true;
      for (std::size_t rank = 0; rank < 2; ++rank) {
        goes_on = ranks_[rank].go(start.flags[rank]) && goes_on;
        start.begin_ns[rank] = times_[rank].now;
      }
      if (!goes_on) return starts;
      starts.push_back(start);
      for (DrivenTime& time : times_)
        time.now = std::max(start.begin_ns[0], start.begin_ns[1]) + 5000;
    }
  }

  [[nodiscard]] std::int64_t slack_ns() const { return ranks_[0].slack_ticks(); }

 private:
  static void nobody_watches(void* /*context*/) {}
  RoundTime<DrivenClock> make(std::size_t number) {
    return {page_,          DrivenClock{&times_[number]},
            Dither(1, 0),   {.repetitions = 0, .min = 0},
            kReleaseLimits, nobody_watches,
            nullptr};
  }

  group::Page page_ = group::Page::attach(group::test::page_name("two"), {}, {});
  std::array<DrivenTime, 2> times_ = {};
  std::array<RoundTime<DrivenClock>, 2> ranks_{make(0), make(1)};
};

// All ranks of a host fetch one cache line when they are released: the last one of many is served
// microseconds later, in every repetition. Were that a loss, nothing would ever be late, and the
// rank would start so much later than the others for ever.
TEST(Release, ThatComesLateEveryTimeWidensTheSlackUntilAllStartTogether) {
  for (const std::int64_t later_ns : {1500, 3000}) {
    TwoRanks ranks;
    const auto starts = ranks.visit(400, [&](std::size_t) { return later_ns; });
    ASSERT_GE(starts.size(), 400U) << later_ns;
    EXPECT_GT(ranks.slack_ns(), later_ns * 9 / 10);
    std::size_t late = 0;
    for (std::size_t i = starts.size() - 300; i < starts.size(); ++i) {
      EXPECT_FALSE(starts[i].has(record::kLost)) << "repetition " << i << ", " << later_ns;
      if (starts[i].has(record::kLate)) {
        ++late;
      } else {
        EXPECT_LE(starts[i].skew_ns(), kReleaseLimits.least_slack_ticks) << "repetition " << i;
      }
    }
    EXPECT_LE(late, 6U) << "one in 230, and those on the way there";
  }
}

// That is what a lost processor looks like, and no slack helps against it.
TEST(Release, ThatComesLateNowAndThenIsALossAndDoesNotWidenTheSlack) {
  TwoRanks ranks;
  std::uint32_t lost = 0;
  const auto starts =
      ranks.visit(400, [](std::size_t i) { return i % 10 == 9 ? std::int64_t{5000} : 0; });
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_FALSE(starts[i].has(record::kLate)) << "repetition " << i;
    EXPECT_EQ(starts[i].has(record::kLost), i % 10 == 9) << "repetition " << i;
    lost += starts[i].has(record::kLost) ? 1U : 0U;
  }
  EXPECT_GE(lost, 40U);
  EXPECT_LE(ranks.slack_ns(), kReleaseLimits.first_slack_ticks);
}

struct Looked {
  group::ArmPage* arm = nullptr;
  DrivenTime* time = nullptr;
  int times = 0;
};

// The library may take its time when it is called so that it makes progress, and so may the look
// after the partners. The start passes meanwhile.
TEST(Release, ThatComesWhileTheRankLooksAfterOthersFindsItLateAndNotLost) {
  const group::Page page = group::Page::attach(group::test::page_name("looks"), {}, {});
  DrivenTime time;
  Looked looked{&page.mine(), &time};
  RoundTime<DrivenClock> sync(
      page, DrivenClock{&time}, Dither(1, 0), {.repetitions = 0, .min = 0}, kReleaseLimits,
      [](void* context) {
        auto& at = *static_cast<Looked*>(context);
        ++at.times;
        at.arm->start.deadline_ticks = at.time->now + 500;
        at.time->now += 50'000;
        at.arm->start.sequence.store(1);
      },
      &looked);
  sync.begin({.repetitions = 10, .capacity = 20, .local_members = 2});
  std::uint16_t flags = 0;
  EXPECT_TRUE(sync.wait(flags));
  EXPECT_EQ(looked.times, 1);
  EXPECT_EQ(flags, record::kLate);
}

// hpet and acpi_pm: a read takes longer than gaps usually may be.
TEST(LongestGap, IsMoreThanAClockMakesByItself) {
  EXPECT_EQ(longest_gap_ticks(1000, {.cost_ticks = 25, .step_ticks = 10}), 1000);
  EXPECT_EQ(longest_gap_ticks(1000, {.cost_ticks = 1300, .step_ticks = 70.5}), 5482);
  EXPECT_EQ(longest_gap_ticks(1000, {.cost_ticks = 20, .step_ticks = 4000}), 16'080);
}

TEST(LongestGap, LetsTheSlackOfASlowClockGrow) {
  const group::Page page = group::Page::attach(group::test::page_name("slow"), {}, {});
  DrivenTime time;
  time.step = 2000;
  RoundLimits limits = kReleaseLimits;
  limits.interruption_ticks = longest_gap_ticks(1000, {.cost_ticks = 2000, .step_ticks = 1});
  RoundTime<DrivenClock> sync(
      page, DrivenClock{&time}, Dither(1, 0), {.repetitions = 0, .min = 0}, limits, [](void*) {},
      nullptr);
  sync.begin({.repetitions = 100, .capacity = 300});
  std::vector<std::uint16_t> flags(301);
  std::size_t made = 0;
  while (sync.wait(flags.at(made))) ++made;
  EXPECT_GE(sync.valid(), 100U);
  EXPECT_GT(sync.slack_ticks(), time.step * 9 / 10);
  for (const std::uint16_t flag : flags) EXPECT_EQ(flag & record::kLost, 0);
}

}  // namespace
}  // namespace invar::engine::test
