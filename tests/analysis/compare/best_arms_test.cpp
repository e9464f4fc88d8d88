// The arms that cannot be told from the best one, from verdicts on all pairs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/pair_table.hpp"
#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::ElementsAre;

// Three arms in one cell; verdicts of a-b, a-c, b-c.
std::vector<BestArms> best_of(std::optional<Verdict> ab, std::optional<Verdict> ac,
                              std::optional<Verdict> bc) {
  const std::vector<Pair> pairs{{.a = {.arm = 0}, .b = {.arm = 1}},
                                {.a = {.arm = 0}, .b = {.arm = 2}},
                                {.a = {.arm = 1}, .b = {.arm = 2}}};
  const std::vector<ComparedCell> rows{{.arm_a = "a", .arm_b = "b", .verdict = ab},
                                       {.arm_a = "a", .arm_b = "c", .verdict = ac},
                                       {.arm_a = "b", .arm_b = "c", .verdict = bc}};
  return best_sides(pairs, rows);
}

TEST(BestArms, ArmIsOutIfAnyOtherOneIsFaster) {
  EXPECT_THAT(best_of(Verdict::kFaster, Verdict::kFaster, Verdict::kUndecided)[0].arms,
              ElementsAre("a"));
  EXPECT_THAT(best_of(Verdict::kSlower, Verdict::kSlower, Verdict::kEquivalent)[0].arms,
              ElementsAre("b", "c"));
}

TEST(BestArms, ArmThatCannotBeToldFromTheBestStays) {
  // b is told neither from a, the best, nor from c, which a beats.
  EXPECT_THAT(best_of(Verdict::kUndecided, Verdict::kFaster, Verdict::kUndecided)[0].arms,
              ElementsAre("a", "b"));
  EXPECT_EQ(best_of(Verdict::kUndecided, Verdict::kFaster, Verdict::kUndecided)[0].contenders, 3U);
}

TEST(BestArms, RingOfVerdictsLeavesAll) {
  EXPECT_THAT(best_of(Verdict::kFaster, Verdict::kSlower, Verdict::kFaster)[0].arms,
              ElementsAre("a", "b", "c"));
}

TEST(BestArms, WithoutVerdictsThereIsNoEntry) {
  EXPECT_TRUE(best_of(std::nullopt, std::nullopt, std::nullopt).empty());
}

}  // namespace
}  // namespace invar::analysis
