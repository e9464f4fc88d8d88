// How hosts without members learn that a visit is over.
#include "group/visit_word.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace invar::group::test {
namespace {

using testing::ElementsAre;

// Two ranks a host, host after host.
std::vector<std::uint32_t> pairs(std::uint32_t hosts) {
  std::vector<std::uint32_t> of_rank;
  for (std::uint32_t host = 0; host < hosts; ++host) of_rank.insert(of_rank.end(), 2, host);
  return of_rank;
}

TEST(VisitWord, NobodyIsToldByAMessageWhereEveryHostHasAMember) {
  const std::vector<std::uint32_t> hosts = pairs(3);
  const std::vector<std::uint32_t> members{0, 2, 5};
  for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) {
    EXPECT_EQ(visit_word(members, hosts, rank), VisitWord()) << rank;
  }
}

TEST(VisitWord, TheLowestMemberTellsTheLowestRankOfAHostWithoutOne) {
  const std::vector<std::uint32_t> members{1, 0};
  EXPECT_THAT(visit_word(members, pairs(2), 0).to, ElementsAre(2));
  EXPECT_EQ(visit_word(members, pairs(2), 2).from, 0U);
  EXPECT_EQ(visit_word(members, pairs(2), 1), VisitWord()) << "a member";
  EXPECT_EQ(visit_word(members, pairs(2), 3), VisitWord()) << "its host's leader wakes it";
}

TEST(VisitWord, MembersNeedNotBeOnTheFirstHost) {
  EXPECT_THAT(visit_word(std::vector{4U, 5U}, pairs(3), 4).to, ElementsAre(2, 0));
  EXPECT_EQ(visit_word(std::vector{4U, 5U}, pairs(3), 0).from, 4U);
}

TEST(VisitWord, ReachesEveryHostOnceInAsManyStepsAsATreeHas) {
  for (const std::uint32_t hosts : {2U, 3U, 8U, 9U, 100U}) {
    const std::vector<std::uint32_t> of_rank = pairs(hosts);
    const std::vector<std::uint32_t> members{0, 1};
    std::map<std::uint32_t, int> steps{{0, 0}};
    std::vector<std::uint32_t> tellers{0};
    while (!tellers.empty()) {
      const std::uint32_t teller = tellers.back();
      tellers.pop_back();
      for (const std::uint32_t told : visit_word(members, of_rank, teller).to) {
        EXPECT_EQ(visit_word(members, of_rank, told).from, teller);
        EXPECT_TRUE(steps.emplace(told, steps.at(teller) + 1).second) << told << " is told twice";
        tellers.push_back(told);
      }
    }
    std::set<std::uint32_t> reached;
    for (const auto& [rank, step] : steps) {
      reached.insert(of_rank[rank]);
      EXPECT_LE(std::uint64_t{1} << static_cast<unsigned>(step), 2 * hosts) << hosts;
    }
    EXPECT_EQ(reached.size(), hosts);
  }
}

}  // namespace
}  // namespace invar::group::test
