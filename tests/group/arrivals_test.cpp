// The tree of arrival counters: exactly one rank is told that it was the last.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "group/page.hpp"

namespace invar::group {
namespace {

TEST(Arrivals, TreeHasAsManyNodesAsItsLevelsNeed) {
  EXPECT_EQ(arrival_nodes(1), 1U);
  EXPECT_EQ(arrival_nodes(8), 1U);
  EXPECT_EQ(arrival_nodes(9), 2U + 1U);
  EXPECT_EQ(arrival_nodes(64), 8U + 1U);
  EXPECT_EQ(arrival_nodes(65), 9U + 2U + 1U);
}

TEST(Arrivals, LastOneAndNobodyElseIsToldInEveryRoundAndOrder) {
  for (std::uint32_t ranks = 1; ranks <= 70; ++ranks) {
    std::vector<Counter> counters(arrival_nodes(ranks));
    base::Random random(ranks);
    std::vector<std::uint32_t> order(ranks);
    for (std::uint32_t i = 0; i < ranks; ++i) order[i] = i;
    for (int round = 0; round < 20; ++round) {
      random.shuffle(std::span(order));
      for (std::uint32_t i = 0; i < ranks; ++i) {
        ASSERT_EQ(arrive(counters, ranks, order[i]), i + 1 == ranks)
            << ranks << " ranks, round " << round << ", arrival " << i << " by rank " << order[i];
      }
    }
  }
}

TEST(Arrivals, CountersAreReadyForTheNextRoundSoThatNoneEverOverflows) {
  for (std::uint32_t ranks = 1; ranks <= 70; ++ranks) {
    std::vector<Counter> counters(arrival_nodes(ranks));
    for (std::uint32_t i = 0; i < ranks; ++i) arrive(counters, ranks, i);
    for (const Counter& counter : counters) EXPECT_EQ(counter.count, 0U);
  }
}

TEST(Arrivals, LastOfConcurrentThreadsSeesWhatTheOthersWrote) {
  for (const std::uint32_t ranks : {2U, 9U, 17U}) {
    constexpr std::uint32_t kRounds = 500;
    std::vector<Counter> counters(arrival_nodes(ranks));
    std::vector<std::uint32_t> written(ranks, 0);  // plain memory: the counters publish it
    std::atomic<std::uint32_t> round_done{0};
    std::atomic<std::uint32_t> lasts{0};
    std::atomic<std::uint32_t> unseen{0};
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        for (std::uint32_t round = 1; round <= kRounds; ++round) {
          written[rank] = round;
          if (arrive(counters, ranks, rank)) {
            ++lasts;
            for (const std::uint32_t value : written) unseen += value == round ? 0U : 1U;
            round_done.store(round, std::memory_order_release);
          } else {
            while (round_done.load(std::memory_order_acquire) != round) std::this_thread::yield();
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(lasts, kRounds) << ranks << " ranks";
    EXPECT_EQ(unseen, 0U) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace invar::group
