// Which ranks take part in a cell, and in which order.
#include "group/team_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "record/p2p/rank_hosts.hpp"

namespace invar::group {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Three hosts with three ranks each, placed host after host.
const std::vector<std::uint32_t> kPacked{0, 0, 0, 1, 1, 1, 2, 2, 2};
// As a launcher does that deals them out.
const std::vector<std::uint32_t> kDealt{0, 1, 2, 0, 1, 2, 0, 1, 2};

std::vector<std::uint32_t> ranks_of(const record::Cell& cell,
                                    const std::vector<std::uint32_t>& hosts = kPacked) {
  return team_ranks(cell, hosts, 1);
}

TEST(TeamRanks, FillHostAfterHost) {
  EXPECT_THAT(ranks_of({.ranks = 4, .nodes = 2}), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(ranks_of({.ranks = 2, .nodes = 1}), ElementsAre(0, 1));
  EXPECT_THAT(ranks_of({.ranks = 4, .nodes = 2}, kDealt), ElementsAre(0, 3, 1, 4))
      << "wherever the launcher has put them";
}

TEST(TeamRanks, FirstHostsHaveOneMoreWhereTheyDoNotComeOutEven) {
  EXPECT_THAT(ranks_of({.ranks = 5, .nodes = 3}), ElementsAre(0, 1, 3, 4, 6));
}

TEST(TeamRanks, RoundRobinTakesTurnsOverTheHosts) {
  EXPECT_THAT(ranks_of({.ranks = 5, .nodes = 3, .mapping = "round-robin"}),
              ElementsAre(0, 3, 6, 1, 4));
}

TEST(TeamRanks, OrderMayBeReversedOrShuffled) {
  EXPECT_THAT(ranks_of({.ranks = 3, .nodes = 1, .rank_order = "reversed"}), ElementsAre(2, 1, 0));
  const record::Cell shuffled{.ranks = 9, .nodes = 3, .rank_order = "shuffled"};
  const std::vector<std::uint32_t> ranks = ranks_of(shuffled);
  EXPECT_EQ(std::set(ranks.begin(), ranks.end()).size(), 9U) << "a permutation";
  EXPECT_EQ(ranks, ranks_of(shuffled)) << "the same for every arm of a group";
  EXPECT_NE(ranks, team_ranks(shuffled, kPacked, 2)) << "another one in the next group";
}

TEST(TeamRanks, RankZeroTakesPartInEveryTeam) {
  for (std::uint32_t nodes = 1; nodes <= 3; ++nodes) {
    for (std::uint32_t ranks = nodes; ranks <= 3 * nodes; ++ranks) {
      for (const char* order : {"natural", "reversed", "shuffled"}) {
        EXPECT_THAT(ranks_of({.ranks = ranks, .nodes = nodes, .rank_order = order}),
                    testing::Contains(0U));
      }
    }
  }
}

TEST(TeamRanks, LauncherThatPlacedThemOtherwiseIsAFault) {
  try {
    (void)ranks_of({.operation = "bcast", .ranks = 8, .nodes = 2});
    FAIL() << "four on a host with three";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("host number 0 has 3 ranks, 4 are needed there"));
  }
  EXPECT_THROW((void)ranks_of({.ranks = 4, .nodes = 4}), base::UserError);
}

// Analysis knows cells alone.
TEST(TeamRanks, AreOnTheHostsThatFollowFromTheCell) {
  for (std::uint32_t nodes = 1; nodes <= 3; ++nodes) {
    for (std::uint32_t ranks = nodes; ranks <= 3 * nodes; ++ranks) {
      for (const char* mapping : {"packed", "round-robin"}) {
        for (const char* order : {"natural", "reversed"}) {
          const record::Cell cell{
              .ranks = ranks, .nodes = nodes, .mapping = mapping, .rank_order = order};
          std::vector<std::uint32_t> placed;
          for (const std::uint32_t rank : ranks_of(cell)) placed.push_back(kPacked.at(rank));
          EXPECT_EQ(record::hosts_of_ranks(cell), placed) << ranks << " on " << nodes;
        }
      }
    }
  }
  EXPECT_EQ(record::hosts_of_ranks({.ranks = 4, .nodes = 2, .rank_order = "shuffled"}),
            std::nullopt);
  EXPECT_THAT(*record::hosts_of_ranks({.ranks = 3, .nodes = 1, .rank_order = "shuffled"}),
              ElementsAre(0, 0, 0));
}

TEST(LowestOnHosts, AreOneOfEveryHostInTheOrderOfTheRanks) {
  EXPECT_THAT(lowest_on_hosts(std::vector<std::uint32_t>{8, 1, 5, 7, 2}, kPacked),
              ElementsAre(1, 5, 7));
  EXPECT_THAT(lowest_on_hosts(std::vector<std::uint32_t>{5, 2, 1, 4}, kDealt), ElementsAre(2, 1));
  EXPECT_THAT(lowest_on_hosts({}, kPacked), ElementsAre());
}

}  // namespace
}  // namespace invar::group
