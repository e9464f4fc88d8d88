// Everybody meets everybody once, and nobody two at a time.
#include "base/circle_method.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace invar::base {
namespace {

TEST(CircleMethod, EveryTwoRanksMeetInExactlyOneRound) {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    std::set<std::pair<int, int>> met;
    for (int round = 0; round < circle_rounds(ranks); ++round) {
      int alone = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const int partner = circle_partner(ranks, rank, round);
        if (partner < 0) {
          ++alone;
          continue;
        }
        EXPECT_NE(partner, rank);
        EXPECT_EQ(circle_partner(ranks, partner, round), rank) << ranks << " ranks";
        if (partner < rank) continue;
        EXPECT_TRUE(met.emplace(rank, partner).second) << ranks << " ranks";
      }
      EXPECT_EQ(alone, ranks % 2) << "an odd number leaves one out";
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(ranks * (ranks - 1) / 2));
  }
}

TEST(CircleMethod, OneRankMeetsNobody) {
  EXPECT_EQ(circle_rounds(1), 0);
  EXPECT_EQ(circle_partner(1, 0, 0), -1);
}

}  // namespace
}  // namespace invar::base
