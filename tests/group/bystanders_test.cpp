// Who stands by, and who makes traffic with whom.
#include "group/bystanders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::group {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Bystanders, AreAllThatAreNoMembers) {
  EXPECT_THAT(bystanders_of(5, std::vector<std::uint32_t>{1, 3}), ElementsAre(0, 2, 4));
  EXPECT_THAT(bystanders_of(2, std::vector<std::uint32_t>{0, 1}), IsEmpty());
}

TEST(TrafficPartners, AreNeighboursInPairs) {
  const std::vector<std::uint32_t> others{2, 3, 5, 8};
  EXPECT_EQ(traffic_partner(others, 2), 3U);
  EXPECT_EQ(traffic_partner(others, 3), 2U);
  EXPECT_EQ(traffic_partner(others, 5), 8U);
  EXPECT_EQ(traffic_partner(others, 8), 5U);
}

TEST(TrafficPartners, TheLastOfAnOddNumberHasNone) {
  const std::vector<std::uint32_t> others{2, 3, 4};
  EXPECT_EQ(traffic_partner(others, 3), 2U);
  EXPECT_EQ(traffic_partner(others, 4), std::nullopt);
  EXPECT_EQ(traffic_partner(others, 0), std::nullopt) << "a member";
}

}  // namespace
}  // namespace invar::group
