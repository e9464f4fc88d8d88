// Who does what in a call, and how long buffers are: the engine and the estimates evaluate the same
// numbers.
#include "record/operation/roles.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "record/operation/buffer_table.hpp"

namespace invar::record {
namespace {

// One letter a rank: starts, answers, bystander.
std::string parts(std::span<const RoleRule> rules, std::uint32_t ranks, std::uint32_t root = 0) {
  std::string text;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    text += "sab"[static_cast<std::size_t>(role_of(rules, rank, ranks, root))];
  }
  return text;
}

TEST(RolesTest, WithoutRulesAllRanksStart) { EXPECT_EQ(parts({}, 3), "sss"); }

TEST(RolesTest, RanksThatNoRuleHoldsForStandBy) {
  const std::array rules{RoleRule{Role::kStarts, Ranks::kNumber, 1},
                         RoleRule{Role::kAnswers, Ranks::kNumber, 2}};
  EXPECT_EQ(parts(rules, 5), "bsabb");
}

TEST(RolesTest, FirstRuleThatHoldsCounts) {
  const std::array rules{RoleRule{Role::kStandsBy, Ranks::kFromEnd, 0},
                         RoleRule{Role::kStarts, Ranks::kEven},
                         RoleRule{Role::kAnswers, Ranks::kOdd}};
  EXPECT_EQ(parts(rules, 4), "sasb");
  EXPECT_EQ(parts(rules, 5), "sasab");
}

TEST(RolesTest, HalvesAndRootFollowTheNumberOfRanks) {
  const std::array halves{RoleRule{Role::kStarts, Ranks::kLowerHalf},
                          RoleRule{Role::kAnswers, Ranks::kUpperHalf}};
  EXPECT_EQ(parts(halves, 4), "ssaa");
  EXPECT_EQ(parts(halves, 5), "ssaaa");
  const std::array root{RoleRule{Role::kStarts, Ranks::kRoot},
                        RoleRule{Role::kAnswers, Ranks::kEvery}};
  EXPECT_EQ(parts(root, 3, 2), "aas");
}

TEST(RolesTest, APartThatNobodyTakesIsNoticed) {
  const std::array rules{RoleRule{Role::kStarts, Ranks::kNumber, 1},
                         RoleRule{Role::kAnswers, Ranks::kNumber, 2}};
  EXPECT_FALSE(all_parts_taken(rules, 2, 0));
  EXPECT_TRUE(all_parts_taken(rules, 3, 0));
  const std::array bystander{RoleRule{Role::kStandsBy, Ranks::kNumber, 7}};
  EXPECT_TRUE(all_parts_taken(bystander, 2, 0)) << "nobody is needed to do nothing";
}

TEST(BufferTableTest, LengthsAreSumsOfBlocksAndOfRoundedShares) {
  constexpr BlockCount count{.elements = 10, .ranks = 4, .neighbours = 2};
  EXPECT_EQ(Blocks{}.elements(count), 0U);
  EXPECT_EQ(Blocks{.constant = 2}.elements(count), 20U);
  EXPECT_EQ(Blocks{.per_rank = 1}.elements(count), 40U);
  EXPECT_EQ((Blocks{.constant = 1, .per_neighbour = 3}.elements(count)), 70U);
  EXPECT_EQ(Blocks{.shares = 1}.elements(count), 3U) << "a quarter of 10, rounded up";
  EXPECT_EQ(Blocks{.shares_per_rank = 1}.elements(count), 12U);
  EXPECT_EQ((Blocks{.shares_per_rank = 1}.elements({.elements = 0, .ranks = 4})), 0U);
}

// A slot for every message, and one more for each that is packed.
TEST(BufferTableTest, MessagesHaveABlockEach) {
  constexpr BlockCount count{.elements = 10, .messages = 64, .packed = 64};
  EXPECT_EQ(Blocks{.per_message = 1}.elements(count), 640U);
  EXPECT_EQ((Blocks{.per_message = 1, .per_packed = 2}.elements(count)), 1920U);
  EXPECT_EQ((Blocks{.per_message = 1, .per_packed = 2}.elements({.elements = 10})), 10U)
      << "an operation without messages has one, and packs none";
}

TEST(BufferTableTest, RootAndOthersDifferInPlaceOrNot) {
  const BufferTable table{.others = {.send = {.constant = 1}},
                          .root = {.send = {.constant = 2}},
                          .others_in_place = {.send = {.constant = 3}},
                          .root_in_place = {.send = {.constant = 4}}};
  EXPECT_EQ(table.on(false, false).send.constant, 1U);
  EXPECT_EQ(table.on(true, false).send.constant, 2U);
  EXPECT_EQ(table.on(false, true).send.constant, 3U);
  EXPECT_EQ(table.on(true, true).send.constant, 4U);
}

}  // namespace
}  // namespace invar::record
