#include "analysis/outcome.hpp"

#include <gtest/gtest.h>

namespace invar::analysis {
namespace {

using stats::Verdict;

Comparison with(std::optional<Verdict> verdict) {
  Comparison comparison;
  comparison.arms = {{.label = "old"}, {.label = "new"}};
  comparison.cells.push_back({.arm_a = "old", .arm_b = "new", .verdict = verdict});
  return comparison;
}

const OutcomeOptions kGate{.fail_on_slower = true, .undecided_exit = 125};

TEST(Outcome, AnAnswerIsSuccessWhateverItSays) {
  for (const Verdict verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kEquivalent, Verdict::kUndecided}) {
    EXPECT_EQ(outcome_status(with(verdict), {}), 0);
  }
}

TEST(Outcome, SlowerMeansAnotherArmTakesLongerThanTheReference) {
  // The verdict speaks about the reference: it is faster, so the new build is slower.
  EXPECT_EQ(outcome_status(with(Verdict::kFaster), {.fail_on_slower = true}), 1);
  EXPECT_EQ(outcome_status(with(Verdict::kSlower), {.fail_on_slower = true}), 0);
  EXPECT_EQ(outcome_status(with(Verdict::kEquivalent), {.fail_on_slower = true}), 0);
}

TEST(Outcome, PairsWithoutTheReferenceDoNotFailAGate) {
  Comparison comparison = with(Verdict::kEquivalent);
  comparison.arms.push_back({.label = "third"});
  comparison.cells.push_back({.arm_a = "new", .arm_b = "third", .verdict = Verdict::kFaster});
  EXPECT_EQ(outcome_status(comparison, {.fail_on_slower = true}), 0);
}

TEST(Outcome, TroubleHasItsStatusTheWorstFirst) {
  Comparison comparison = with(Verdict::kEquivalent);
  comparison.incomplete = true;
  EXPECT_EQ(outcome_status(comparison, {}), 4);
  comparison.measurement_failed = true;
  EXPECT_EQ(outcome_status(comparison, {}), 3);
  comparison.damaged = true;
  EXPECT_EQ(outcome_status(comparison, {}), 5);
}

TEST(Outcome, UndecidedExitReplacesZeroAndEveryTroubleButNotTheFinding) {
  EXPECT_EQ(outcome_status(with(Verdict::kUndecided), kGate), 125);
  EXPECT_EQ(outcome_status(with(std::nullopt), kGate), 125);
  EXPECT_EQ(outcome_status(with(Verdict::kEquivalent), kGate), 0);
  EXPECT_EQ(outcome_status(with(Verdict::kFaster), kGate), 1);
  for (bool Comparison::*trouble :
       {&Comparison::damaged, &Comparison::measurement_failed, &Comparison::incomplete}) {
    Comparison comparison = with(Verdict::kEquivalent);
    comparison.*trouble = true;
    EXPECT_EQ(outcome_status(comparison, kGate), 125);
    comparison.cells[0].verdict = Verdict::kFaster;
    EXPECT_EQ(outcome_status(comparison, kGate), 1);
  }
}

}  // namespace
}  // namespace invar::analysis
