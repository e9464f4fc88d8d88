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

// Verdicts of a-b, a-c, b-c with their ratios, time of the second over time of the first.
std::optional<double> ahead_of(std::pair<Verdict, double> ab, std::pair<Verdict, double> ac,
                               std::pair<Verdict, double> bc) {
  const std::vector<Pair> pairs{{.a = {.arm = 0}, .b = {.arm = 1}},
                                {.a = {.arm = 0}, .b = {.arm = 2}},
                                {.a = {.arm = 1}, .b = {.arm = 2}}};
  const std::vector<ComparedCell> rows{
      {.arm_a = "a", .arm_b = "b", .ratio = ab.second, .verdict = ab.first},
      {.arm_a = "a", .arm_b = "c", .ratio = ac.second, .verdict = ac.first},
      {.arm_a = "b", .arm_b = "c", .ratio = bc.second, .verdict = bc.first}};
  return best_sides(pairs, rows)[0].ahead;
}

TEST(BestArms, AreAheadOfTheNextArmThatCanBeToldFromThem) {
  EXPECT_EQ(ahead_of({Verdict::kFaster, 1.5}, {Verdict::kFaster, 3.0}, {Verdict::kFaster, 2.0}),
            1.5);
  // b is the best, and its ratio over a stands the other way round.
  EXPECT_EQ(ahead_of({Verdict::kSlower, 0.5}, {Verdict::kFaster, 1.2}, {Verdict::kFaster, 2.4}),
            2.0);
  // a and b are the best, and the one that is less ahead of c counts.
  EXPECT_EQ(ahead_of({Verdict::kUndecided, 1.0}, {Verdict::kFaster, 1.5}, {Verdict::kFaster, 1.4}),
            1.4);
  // What nothing tells from one of the best is not what they are ahead of.
  EXPECT_EQ(
      ahead_of({Verdict::kUndecided, 1.1}, {Verdict::kFaster, 1.5}, {Verdict::kUndecided, 1.2}),
      1.5);
}

TEST(BestArms, ThatAreAllAreAheadOfNobody) {
  EXPECT_EQ(
      ahead_of({Verdict::kUndecided, 1.1}, {Verdict::kEquivalent, 1.0}, {Verdict::kUndecided, 1.2}),
      std::nullopt);
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
