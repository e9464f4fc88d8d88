// Who does what: by rules, or by the pattern of an operation that sends messages.
#include "record/p2p/cell_roles.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>

namespace invar::record {
namespace {

// One letter a rank: starts, answers, bystander.
std::string parts_in(const std::string& pattern, Messages messages, std::uint32_t ranks,
                     std::span<const RoleRule> rules = {}) {
  std::string text;
  for (const Role role : roles_of(rules, messages, {.ranks = ranks, .pattern = pattern})) {
    text += "sab"[static_cast<std::size_t>(role)];
  }
  return text;
}

TEST(CellRoles, FollowThePatternOfMessages) {
  EXPECT_EQ(parts_in("distance:2", Messages::kMatched, 4), "sbab");
  EXPECT_EQ(parts_in("distance:2:back", Messages::kMatched, 4), "absb");
  EXPECT_EQ(parts_in("bisection", Messages::kMatched, 4), "ssaa");
  EXPECT_EQ(parts_in("bisection:back", Messages::kPairs, 4), "aass");
  EXPECT_EQ(parts_in("doubling:1", Messages::kMatched, 5), "ssaab");
  EXPECT_EQ(parts_in("fan-in:2", Messages::kDirected, 4), "assb");
  EXPECT_EQ(parts_in("ring", Messages::kDirected, 3), "sss") << "who also receives starts";
  EXPECT_EQ(parts_in("grid:1", Messages::kPartners, 3), "sss");
  EXPECT_EQ(parts_in("", Messages::kMatched, 3), "sab") << "the usual pattern";
}

TEST(CellRoles, WithoutMessagesFollowTheRules) {
  const std::array rules{RoleRule{Role::kStarts, Ranks::kNumber, 1},
                         RoleRule{Role::kAnswers, Ranks::kNumber, 2}};
  EXPECT_EQ(parts_in("", Messages::kNone, 4, rules), "bsab");
  EXPECT_EQ(parts_in("", Messages::kNone, 3), "sss");
  EXPECT_FALSE(all_parts_taken(rules, Messages::kNone, {.ranks = 2}));
  EXPECT_TRUE(has_roles(rules, Messages::kNone));
  EXPECT_FALSE(has_roles({}, Messages::kNone));
  EXPECT_TRUE(has_roles({}, Messages::kMatched));
}

TEST(CellRoles, OfAPatternThatTheRanksDoNotHaveAreNone) {
  EXPECT_EQ(parts_in("distance:5", Messages::kMatched, 4), "bbbb");
  EXPECT_FALSE(all_parts_taken({}, Messages::kMatched, {.ranks = 4, .pattern = "distance:5"}));
  EXPECT_TRUE(all_parts_taken({}, Messages::kMatched, {.ranks = 4, .pattern = "distance:3"}));
  EXPECT_EQ(lack_in_cell(Messages::kMatched, {.ranks = 1}).remedy, "write 2 ranks or more");
  EXPECT_THROW((void)parts_in("nonsense", Messages::kMatched, 4), std::invalid_argument);
}

}  // namespace
}  // namespace invar::record
