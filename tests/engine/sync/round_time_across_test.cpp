// Round-time across clock domains: threads as ranks of hosts whose clocks are seconds apart, with a
// page a host and an exchange between the hosts' leaders.
#include "engine/sync/round_time_across.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/driven_clock.hpp"
#include "group/forked.hpp"

namespace invar::engine::test {
namespace {

constexpr std::uint32_t kMostAcross = 100;
constexpr std::int64_t kApartNs = 3'000'000'000;

// Host h's clock is h times 3 s ahead of the real one. `fast_ns`: by so much more a rank's own.
struct HostClock {
  std::int64_t ahead_ns = 0;
  const std::int64_t* fast_ns = nullptr;
  [[nodiscard]] std::int64_t now() const {
    return clock::monotonic_raw_ns() + ahead_ns + (fast_ns == nullptr ? 0 : *fast_ns);
  }
};
struct HostTime {
  std::int64_t ahead_ns = 0;
  [[nodiscard]] std::int64_t to_global(std::int64_t own_ns) const { return own_ns - ahead_ns; }
  [[nodiscard]] std::int64_t to_own(std::int64_t global_ns) const { return global_ns + ahead_ns; }
};

// Everything that the leaders say reaches all of them.
class Table {
 public:
  explicit Table(std::uint32_t leaders) : leaders_(leaders) {}

  RoundReport exchange(const RoundReport& mine) {
    std::unique_lock lock(mutex_);
    sum_.add(mine);
    const std::uint64_t round = round_;
    if (++here_ == leaders_) {
      outcome_ = sum_;
      sum_ = {.now_ticks = INT64_MIN};
      here_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
    return outcome_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::uint32_t leaders_;
  std::uint32_t here_ = 0;
  std::uint64_t round_ = 0;
  RoundReport sum_ = {.now_ticks = INT64_MIN};
  RoundReport outcome_ = {};
};

struct Exchange {
  Table* table = nullptr;
  RoundReport operator()(const RoundReport& mine) const { return table->exchange(mine); }
};

using Across = RoundTimeAcross<HostClock, HostTime, Exchange>;

void no_watch_across(void* /*context*/) {}

// In real time.
struct HostRankTimes {
  std::array<std::int64_t, kMostAcross> begin_ns{};
  std::array<std::int64_t, kMostAcross> end_ns{};
  std::array<std::uint16_t, kMostAcross + 1> flags{};
  std::uint32_t repetitions = 0;
  std::uint32_t valid = 0;  // leaders know it
};

struct Machine {
  std::uint32_t hosts = 2;
  std::uint32_t ranks = 2;  // a host
  // In so many repetitions the last rank's clock is so far ahead that all starts have passed on it.
  std::uint32_t last_late = 0;
};

constexpr VisitStart kVisit{.repetitions = 20, .capacity = 90};

// `each(rank, repetition, sync)` is done in every repetition.
template <typename Each>
std::vector<HostRankTimes> measure(const Machine& machine, const VisitStart& visit, Each each) {
  Table table(machine.hosts);
  std::vector<std::string> pages;
  for (std::uint32_t host = 0; host < machine.hosts; ++host)
    pages.push_back(group::test::page_name("across"));
  std::vector<HostRankTimes> times(std::size_t{machine.hosts} * machine.ranks);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < times.size(); ++rank) {
    threads.emplace_back([&, rank] {
      const std::uint32_t host = rank / machine.ranks;
      const std::uint32_t local = rank % machine.ranks;
      const group::Page page = group::Page::attach(
          pages[host], {.arms = 1, .local_ranks = machine.ranks}, {.local_rank = local});
      const std::int64_t ahead_ns = host * kApartNs;
      constexpr std::int64_t kBeyondAnySlackNs = 20'000'000;
      std::int64_t fast_ns = machine.last_late > 0 ? kBeyondAnySlackNs : 0;
      const bool last = rank + 1 == times.size();
      Across sync(page, {ahead_ns, last ? &fast_ns : nullptr}, {ahead_ns}, Dither(rank + 1, 0),
                  {.repetitions = 0, .min = 0, .ticks = 0},
                  {.least_slack_ticks = 1'000,
                   .most_slack_ticks = 10'000'000,
                   .interruption_ticks = 1'000'000,
                   .visit_ticks = INT64_MAX,
                   .yield = true},
                  {&table}, no_watch_across, nullptr);
      VisitStart start = visit;
      start.local_members = machine.ranks;
      start.local_index = local;
      HostRankTimes& mine = times[rank];
      sync.begin(start);
      std::uint32_t i = 0;
      for (; sync.wait(mine.flags.at(i)); ++i) {
        mine.begin_ns.at(i) = clock::monotonic_raw_ns();
        each(rank, i, sync);
        mine.end_ns.at(i) = clock::monotonic_raw_ns();
        if (i + 1 >= machine.last_late) fast_ns = 0;
      }
      mine.repetitions = i;
      mine.valid = sync.valid();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return times;
}

const auto kNothing = [](std::uint32_t, std::uint32_t, Across&) {};

class RoundTimeAcrossHosts : public testing::TestWithParam<Machine> {};

TEST_P(RoundTimeAcrossHosts, AllStartWhenAllHaveEnded) {
  const Machine machine = GetParam();
  const std::vector<HostRankTimes> times = measure(machine, kVisit, kNothing);
  const std::uint32_t repetitions = times[0].repetitions;
  std::uint32_t valid = 0;
  std::uint32_t lost = 0;
  for (std::uint32_t i = 0; i < repetitions; ++i) {
    std::uint32_t flags = 0;
    std::int64_t begin_ns = INT64_MAX;
    for (const HostRankTimes& rank : times) {
      flags |= rank.flags.at(i);
      begin_ns = std::min(begin_ns, rank.begin_ns.at(i));
    }
    for (const HostRankTimes& rank : times) {
      ASSERT_EQ(rank.repetitions, repetitions);
      if (i > 0) {
        ASSERT_GE(begin_ns, rank.end_ns.at(i - 1)) << "repetition " << i;
      }
    }
    // One is warm-up.
    if (i > 0 && (flags & record::kLate) == 0) ++((flags & record::kLost) != 0 ? lost : valid);
  }
  EXPECT_TRUE(has_enough(valid, lost, kVisit.repetitions, false) || repetitions == kVisit.capacity);
  for (std::uint32_t host = 0; host < machine.hosts; ++host) {
    EXPECT_EQ(times[std::size_t{host} * machine.ranks].valid, valid) << "host " << host;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RoundTimeAcrossHosts,
                         testing::Values(Machine{2, 1}, Machine{2, 2}, Machine{3, 1},
                                         Machine{3, 2}));

TEST(RoundTimeAcross, WhatIsLateOnOneHostIsRepeatedByAll) {
  // Rank 3 leads no host.
  const std::vector<HostRankTimes> times = measure({2, 2, 3}, kVisit, kNothing);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_NE(times[3].flags.at(i) & record::kNotTogether, 0) << i;
  }
  EXPECT_LE(times[0].valid, times[0].repetitions - 3);  // the first one was warm-up at that
  EXPECT_EQ(times[0].valid, times[2].valid);
}

TEST(RoundTimeAcross, ErrorOfAnyRankEndsTheVisitOfAll) {
  for (const std::uint32_t ranks : {1U, 2U}) {
    const std::uint32_t last = 2 * ranks - 1;
    const auto fails = [last](std::uint32_t rank, std::uint32_t i, Across& sync) {
      if (rank == last && i == 4) sync.note_error();
    };
    for (const HostRankTimes& rank : measure({2, ranks}, kVisit, fails)) {
      EXPECT_EQ(rank.repetitions, 5U);
    }
  }
}

TEST(RoundReport, OrderAndRepetitionDoNotMatter) {
  const RoundReport one{.now_ticks = 5, .slack_ticks = 3, .late = kLateBit, .before = 1};
  const RoundReport other{
      .now_ticks = 9, .slack_ticks = 2, .late = kLostBit, .failed = 1, .before = 2};
  RoundReport sum = one;
  sum.add(other);
  sum.add(one);
  EXPECT_EQ(sum.now_ticks, 9);
  EXPECT_EQ(sum.slack_ticks, 3);
  EXPECT_EQ(sum.late, kLateBit | kLostBit);
  EXPECT_EQ(sum.failed, 1U);
  EXPECT_EQ(sum.before, 3U) << "what each knows of the cell's earlier visits";
}

// One rank a host, on a clock that the test drives; `others`: what the other hosts say.
struct DrivenExchange {
  std::function<RoundReport(RoundReport)> others;
  RoundReport operator()(const RoundReport& mine) const { return others(mine); }
};
struct SameTime {
  static std::int64_t to_global(std::int64_t ticks) { return ticks; }
  static std::int64_t to_own(std::int64_t ticks) { return ticks; }
};

class AcrossAlone : public testing::Test {
 protected:
  using Sync = RoundTimeAcross<DrivenClock, SameTime, DrivenExchange>;

  // Flags of a visit's repetitions.
  std::vector<std::uint16_t> visit(Sync& sync, std::uint32_t repetitions, std::uint32_t capacity) {
    sync.begin({.repetitions = repetitions, .capacity = capacity, .lost_limit_ticks = 100});
    std::vector<std::uint16_t> flags(capacity + 1);
    std::size_t made = 0;
    while (sync.wait(flags.at(made))) ++made;
    flags.resize(made);
    return flags;
  }
  Sync make(std::function<RoundReport(RoundReport)> others) {
    return {page_,
            DrivenClock{&time_},
            SameTime{},
            Dither(1, 0),
            {.repetitions = 0, .min = 0},
            {.least_slack_ticks = 300,
             .most_slack_ticks = 300,
             .interruption_ticks = 50,
             .visit_ticks = INT64_MAX},
            {std::move(others)},
            no_watch_across,
            nullptr};
  }

  group::Page page_ = group::Page::attach(group::test::page_name("driven"), {}, {});
  DrivenTime time_ = {};
};

// Who waits for a message reads no clock meanwhile: that says nothing of the processor.
TEST_F(AcrossAlone, LongExchangeMakesLateAndNotLost) {
  Sync sync = make([this](const RoundReport& mine) {
    time_.now += 5000;
    return mine;
  });
  for (const std::uint16_t flags : visit(sync, 5, 10)) EXPECT_EQ(flags, record::kLate);
}

// Every start finds the rank without its processor: in the cell's second visit no more than a few
// are tried, if all hosts have seen the first one end so.
TEST_F(AcrossAlone, VisitEndsEarlyWhereAllKnowThatMostAreLost) {
  for (const bool others_kept_theirs : {false, true}) {
    std::uint32_t known = 0;
    std::int64_t lost_from = INT64_MAX;
    Sync sync = make([&](RoundReport mine) {
      if (mine.now_ticks > 0) lost_from = mine.now_ticks + 200;  // 100 before the start
      mine.before |= known;
      return mine;
    });
    time_.before_reading = [&](DrivenTime& time) {
      if (time.now < lost_from) return;
      lost_from = INT64_MAX;
      time.now += 5000;
    };
    EXPECT_EQ(visit(sync, 5, 60).size(), 60U) << "the first visit may have met a bad stretch";
    StartHistory kept;
    kept.add(0, 9, 0);
    known = others_kept_theirs ? kept.bits(0) : 0;
    EXPECT_EQ(visit(sync, 5, 60).size(), others_kept_theirs ? 60U : 1 + kFewestToTell);
  }
}

}  // namespace
}  // namespace invar::engine::test
