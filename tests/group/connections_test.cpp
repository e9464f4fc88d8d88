// Which connections are made before anything is timed.
#include "group/connections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace invar::group::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint32_t> numbered(std::uint32_t ranks) {
  std::vector<std::uint32_t> all(ranks);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

TEST(ConnectOf, UpTo256RanksAllAreConnectedAndAboveThatThePattern) {
  EXPECT_EQ(connect_of("auto", 2, 2), Connect::kAll);
  EXPECT_EQ(connect_of("auto", 256, 2), Connect::kAll);
  EXPECT_EQ(connect_of("auto", 257, 3), Connect::kPattern);
  EXPECT_EQ(connect_of("auto", 100'000, 1000), Connect::kPattern);
  EXPECT_EQ(connect_of("auto", 512, 1), Connect::kNone) << "on one host";
}

TEST(ConnectOf, CampaignsFromBeforeTheKeyConnectAllBetweenHostsAndNoneOnOne) {
  EXPECT_EQ(connect_of("hosts", 8, 1), Connect::kNone);
  EXPECT_EQ(connect_of("hosts", 8, 2), Connect::kAll);
  EXPECT_EQ(connect_of("hosts", 4096, 64), Connect::kAll);
}

TEST(ConnectOf, AWrittenLevelHoldsForEveryLaunch) {
  for (const std::uint32_t hosts : {1U, 4U}) {
    for (const std::uint32_t ranks : {2U, 4096U}) {
      EXPECT_EQ(connect_of("none", ranks, hosts), Connect::kNone);
      EXPECT_EQ(connect_of("pattern", ranks, hosts), Connect::kPattern);
      EXPECT_EQ(connect_of("all", ranks, hosts), Connect::kAll);
    }
  }
  EXPECT_EQ(connect_of("some", 2, 1), std::nullopt);
}

TEST(PatternPartners, OfEightRanksAreThoseAtDistancesOfPowersOfTwo) {
  EXPECT_THAT(pattern_partners(numbered(8), 0), ElementsAre(1, 2, 4, 6, 7));
  EXPECT_THAT(pattern_partners(numbered(8), 5), ElementsAre(1, 3, 4, 6, 7));
  EXPECT_THAT(pattern_partners(numbered(2), 1), ElementsAre(0));
  EXPECT_THAT(pattern_partners(numbered(1), 0), IsEmpty());
}

TEST(PatternPartners, FollowTheOrderAndLeaveOutWhoIsNotInIt) {
  const std::vector<std::uint32_t> order{30, 10, 20, 50, 40};
  EXPECT_THAT(pattern_partners(order, 30), ElementsAre(10, 20, 40, 50));
  EXPECT_THAT(pattern_partners(order, 11), IsEmpty());
}

TEST(PatternPartners, AreMutual) {
  for (const std::uint32_t ranks : {2U, 3U, 5U, 8U, 13U, 64U, 100U, 257U}) {
    const std::vector<std::uint32_t> order = numbered(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (const std::uint32_t partner : pattern_partners(order, rank)) {
        ASSERT_NE(partner, rank) << ranks;
        ASSERT_THAT(pattern_partners(order, partner), Contains(rank)) << ranks;
      }
    }
  }
}

// Everything that the engine's own messages need, and what most algorithms of libraries do.
TEST(PatternPartners, HaveRingDisseminationRecursiveDoublingAndTrees) {
  for (const std::uint32_t ranks : {2U, 3U, 7U, 16U, 33U, 300U}) {
    const std::vector<std::uint32_t> order = numbered(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::vector<std::uint32_t> partners = pattern_partners(order, rank);
      const auto has = [&](std::uint32_t other) {
        return other == rank || std::ranges::binary_search(partners, other);
      };
      EXPECT_TRUE(has((rank + 1) % ranks) && has((rank + ranks - 1) % ranks)) << "ring";
      for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
        EXPECT_TRUE(has((rank + distance) % ranks)) << "dissemination";
        const std::uint32_t other = rank ^ distance;
        EXPECT_TRUE(other >= ranks || has(other)) << "recursive doubling";
      }
      for (const std::uint32_t root : {0U, ranks / 2}) {
        const std::uint32_t place = (rank + ranks - root) % ranks;
        const std::uint32_t parent = place & (place - 1);  // without its lowest bit
        EXPECT_TRUE(place == 0 || has((parent + root) % ranks)) << "parent in a tree";
      }
    }
  }
}

TEST(PatternPartners, AreFewWhereRanksAreMany) {
  const std::vector<std::uint32_t> order = numbered(10'000);
  for (const std::uint32_t rank : {0U, 1U, 4999U, 9999U}) {
    EXPECT_LE(pattern_partners(order, rank).size(), 2U * std::bit_width(9'999U));
  }
}

}  // namespace
}  // namespace invar::group::test
