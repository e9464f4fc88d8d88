#include "analysis/study/outcome.hpp"

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

// "old" is the reference; one verdict about it for each size.
Comparison table(const std::vector<std::pair<std::uint64_t, std::optional<Verdict>>>& rows) {
  Comparison comparison;
  comparison.arms = {{.label = "old"}, {.label = "new"}};
  for (const auto& [size_bytes, verdict] : rows) {
    comparison.cells.push_back({.cell = {.operation = "bcast", .size_bytes = size_bytes},
                                .arm_a = "old",
                                .arm_b = "new",
                                .verdict = verdict});
  }
  return comparison;
}

TEST(GateText, NamesTheCellsThatFailedIt) {
  Comparison comparison =
      table({{8, Verdict::kFaster}, {64, Verdict::kSlower}, {1024, Verdict::kFaster}});
  EXPECT_EQ(gate_text(comparison, {.fail_on_slower = true}),
            "gate: slower in 2 cells: bcast 8 B, bcast 1 KiB (exit 1)");
  comparison.arms.push_back({.label = "third"});
  EXPECT_EQ(gate_text(comparison, {.fail_on_slower = true}),
            "gate: slower in 2 comparisons: bcast 8 B in 'new', bcast 1 KiB in 'new' (exit 1)");
}

TEST(GateText, SaysWhatStayedOpenWhereNothingIsSlower) {
  EXPECT_EQ(gate_text(table({{8, Verdict::kSlower}}), {.fail_on_slower = true}),
            "gate: no arm is slower than the reference");
  const Comparison open = table({{8, Verdict::kUndecided}, {64, std::nullopt}});
  EXPECT_EQ(gate_text(open, {.fail_on_slower = true}),
            "gate: no arm is known to be slower than the reference (2 cells undecided)");
  EXPECT_EQ(gate_text(open, kGate),
            "gate: no arm is known to be slower than the reference (2 cells undecided, exit 125)");
  Comparison several = open;
  several.arms.push_back({.label = "third"});
  EXPECT_EQ(gate_text(several, {.fail_on_slower = true}),
            "gate: no arm is known to be slower than the reference (2 comparisons undecided)");
}

TEST(GateText, NamesTheMarginOfAGateThatHasOne) {
  Comparison comparison =
      table({{8, Verdict::kViolated}, {64, Verdict::kHolds}, {1024, Verdict::kUndecided}});
  comparison.gate = 0.05;
  EXPECT_EQ(gate_text(comparison, {}), "gate: more than 5 % slower in 1 cell: bcast 8 B (exit 1)");
  comparison.cells.erase(comparison.cells.begin());
  EXPECT_EQ(gate_text(comparison, kGate),
            "gate: no arm is known to be more than 5 % slower than the reference (1 cell "
            "undecided, exit 125)");
}

TEST(Outcome, ACampaignThatIsAGateFailsWithoutBeingTold) {
  Comparison comparison = with(Verdict::kViolated);
  comparison.gate = 0.05;
  EXPECT_EQ(outcome_status(comparison, {}), 1);
  comparison.cells.front().verdict = Verdict::kHolds;
  EXPECT_EQ(outcome_status(comparison, kGate), 0);
  comparison.cells.front().verdict = Verdict::kUndecided;
  EXPECT_EQ(outcome_status(comparison, {}), 0);
  EXPECT_EQ(outcome_status(comparison, kGate), 125);
}

TEST(Outcome, PairsWithoutTheReferenceDoNotFailAGate) {
  Comparison comparison = with(Verdict::kEquivalent);
  comparison.arms.push_back({.label = "third"});
  comparison.cells.push_back(
      {.with_reference = false, .arm_a = "new", .arm_b = "third", .verdict = Verdict::kFaster});
  EXPECT_EQ(outcome_status(comparison, {.fail_on_slower = true}), 0);
}

// Each with those that stand before it in the order of statuses.
TEST(Outcome, TroubleHasItsStatusTheWorstFirst) {
  Comparison comparison = with(Verdict::kFaster);
  const OutcomeOptions gate{.fail_on_slower = true};
  EXPECT_EQ(outcome_status(comparison, gate), 1);
  comparison.health.failed_groups = 1;
  EXPECT_EQ(outcome_status(comparison, gate), 3);
  comparison.health.unfinished = 1;
  EXPECT_EQ(outcome_status(comparison, gate), 4);
  comparison.health.damaged = 1;
  EXPECT_EQ(outcome_status(comparison, gate), 5);
}

TEST(Outcome, UndecidedExitReplacesZeroAndEveryTroubleButNotTheFinding) {
  EXPECT_EQ(outcome_status(with(Verdict::kUndecided), kGate), 125);
  EXPECT_EQ(outcome_status(with(std::nullopt), kGate), 125);
  EXPECT_EQ(outcome_status(with(Verdict::kEquivalent), kGate), 0);
  EXPECT_EQ(outcome_status(with(Verdict::kFaster), kGate), 1);
  for (std::size_t Health::*trouble :
       {&Health::damaged, &Health::failed_cells, &Health::unfinished}) {
    for (const Verdict verdict : {Verdict::kEquivalent, Verdict::kFaster}) {
      Comparison comparison = with(verdict);
      comparison.health.*trouble = 1;
      EXPECT_EQ(outcome_status(comparison, kGate), 125);
    }
  }
}

}  // namespace
}  // namespace invar::analysis
