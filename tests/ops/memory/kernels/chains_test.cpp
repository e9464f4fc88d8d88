#include "ops/memory/kernels/chains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

namespace invar::ops {
namespace {

constexpr std::uint64_t kStride = record::kChainStrideBytes;

struct Chained {
  std::vector<std::uint64_t> words;
  ChainHeads heads;

  explicit Chained(const ChainOrder& order, std::uint64_t bytes, std::uint64_t seed = 1)
      : words(bytes / 8) {
    base::Random random(seed);
    heads = make_chains(begin(), order, random);
  }
  std::byte* begin() { return reinterpret_cast<std::byte*>(words.data()); }

  // Offsets in the order of the loads, until it comes back.
  std::vector<std::uint64_t> visited(std::uint32_t chain) {
    std::vector<std::uint64_t> offsets;
    const std::byte* at = heads[chain];
    do {
      offsets.push_back(static_cast<std::uint64_t>(at - begin()));
      std::memcpy(static_cast<void*>(&at), at, sizeof(std::byte*));
    } while (at != heads[chain] && offsets.size() <= words.size());
    return offsets;
  }
};

TEST(Chains, OneIsACycleThroughAllLines) {
  Chained chained({.lines = 1000}, 1000 * kStride);
  const std::vector<std::uint64_t> visited = chained.visited(0);
  EXPECT_EQ(visited.size(), 1000);
  EXPECT_EQ(std::set(visited.begin(), visited.end()).size(), 1000);
  EXPECT_TRUE(std::ranges::all_of(visited, [](std::uint64_t at) { return at % kStride == 0; }));
}

TEST(Chains, SeveralShareTheLinesEvenly) {
  Chained chained({.lines = 8 * 50, .chains = 8}, 8 * 50 * kStride);
  std::set<std::uint64_t> all;
  for (std::uint32_t chain = 0; chain < 8; ++chain) {
    const std::vector<std::uint64_t> visited = chained.visited(chain);
    EXPECT_EQ(visited.size(), 50);
    all.insert(visited.begin(), visited.end());
  }
  EXPECT_EQ(all.size(), 8 * 50);
}

// Three lines have two cycles: each is drawn as often as the other.
TEST(Chains, EveryCycleIsDrawnAlike) {
  std::map<std::uint64_t, int> seconds;
  std::vector<std::uint64_t> words(3 * kStride / 8);
  auto* const begin = reinterpret_cast<std::byte*>(words.data());
  base::Random random(5);
  constexpr int kDraws = 10'000;
  for (int i = 0; i < kDraws; ++i) {
    make_chains(begin, {.lines = 3}, random);
    const std::byte* next = nullptr;
    std::memcpy(&next, begin, sizeof next);
    ++seconds[static_cast<std::uint64_t>(next - begin)];
  }
  ASSERT_EQ(seconds.size(), 2);
  // Five standard deviations.
  EXPECT_NEAR(seconds[kStride], 0.5 * kDraws, 250);
}

TEST(Chains, SequentialOnesGoFromLineToLine) {
  Chained chained({.lines = 10, .access = record::Access::kSequential}, 10 * kStride);
  std::uint64_t expected = 0;
  for (const std::uint64_t at : chained.visited(0)) {
    EXPECT_EQ(at, expected);
    expected += kStride;
  }
}

TEST(Chains, RandomInPageStaysInAPageUntilAllOfItIsVisited) {
  constexpr std::uint64_t kInPage = kPageOfOrders / kStride;
  Chained chained({.lines = 4 * kInPage, .access = record::Access::kRandomInPage},
                  4 * kPageOfOrders);
  const std::vector<std::uint64_t> visited = chained.visited(0);
  ASSERT_EQ(visited.size(), 4 * kInPage);
  for (std::size_t i = 0; i < visited.size(); ++i) {
    EXPECT_EQ(visited[i] / kPageOfOrders, i / kInPage);
  }
  EXPECT_FALSE(std::ranges::is_sorted(visited));
}

TEST(Chains, LinePerPageVisitsEveryPageInAnotherLine) {
  Chained chained({.lines = 64, .access = record::Access::kLinePerPage}, 64 * kPageOfOrders);
  std::set<std::uint64_t> pages;
  std::set<std::uint64_t> lines;
  for (const std::uint64_t at : chained.visited(0)) {
    pages.insert(at / kPageOfOrders);
    lines.insert(at % kPageOfOrders);
  }
  EXPECT_EQ(pages.size(), 64);
  EXPECT_EQ(lines.size(), 64);
}

TEST(ChaseKernel, ArrivesWhereSoManyLoadsLead) {
  for (std::uint32_t chains = 1; chains <= kMostChainsFollowed; ++chains) {
    for (const std::uint32_t unroll : kUnrolls) {
      SCOPED_TRACE(std::to_string(chains) + " chains, unroll " + std::to_string(unroll));
      constexpr std::uint64_t kEach = 23;
      Chained chained({.lines = chains * kEach, .chains = chains}, chains * kEach * kStride);
      for (const std::uint64_t loads : {0U, 1U, 7U, 16U, 50U}) {
        KernelOrder order{.heads = chained.heads, .loads = loads};
        chase_kernel(chains, unroll)(order);
        for (std::uint32_t chain = 0; chain < chains; ++chain) {
          const std::uint64_t expected = chained.visited(chain)[loads % kEach];
          EXPECT_EQ(order.heads[chain], chained.begin() + expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace invar::ops
