// The gate of --fail-on slower:5%: is another arm slower than the first one by more than that?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/looks.hpp"
#include "analysis/planted.hpp"
#include "analysis/study/outcome.hpp"
#include "simulations.hpp"
#include "stats/decide/sequential.hpp"

namespace invar::analysis {
namespace {

using planted::look_after;
using stats::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;

const Rules kGateRules{.gate = 0.05};
const Rules kGateByLooks{.sequential = true, .gate = 0.05};

std::vector<std::optional<Verdict>> gate_verdicts(const Comparison& comparison) {
  std::vector<std::optional<Verdict>> found;
  for (const ComparedCell& row : comparison.cells) found.push_back(row.verdict);
  return found;
}

Comparison gate_on(const planted::Plan& plan, const Rules& rules = kGateRules) {
  return compare(planted::study(planted::data(plan), rules));
}

TEST(Gate, ACellFailsBeyondTheMarginPassesBelowItAndStaysOpenAtIt) {
  const Comparison comparison = gate_on(planted::with_ratios({1.2, 1.0, 1.05}));
  EXPECT_THAT(gate_verdicts(comparison),
              ElementsAre(Verdict::kViolated, Verdict::kHolds, Verdict::kUndecided));
  EXPECT_EQ(outcome_status(comparison, {}), 1) << "the campaign says that it is a gate";
}

// Slower than the reference for sure, which is all that `slower` without a margin asks.
TEST(Gate, ADifferenceWithinTheMarginPasses) {
  const planted::Plan plan = planted::with_ratios({1.02, 1.02, 1.02});
  EXPECT_EQ(outcome_status(gate_on(plan, {}), {.fail_on_slower = true}), 1);
  const Comparison comparison = gate_on(plan);
  EXPECT_THAT(gate_verdicts(comparison), testing::Each(Verdict::kHolds));
  EXPECT_EQ(outcome_status(comparison, {.fail_on_slower = true, .undecided_exit = 125}), 0);
}

TEST(Gate, AFasterArmPassesAndTheMarginIsNotAnEffectThatMatters) {
  const Comparison comparison = gate_on(planted::with_ratios({0.5, 0.97, 1.03}));
  EXPECT_THAT(gate_verdicts(comparison), testing::Each(Verdict::kHolds));
}

// The interval at 1 - alpha has alpha / 2 at either end: where the test had all of alpha on its one
// side, 90 % would lie between the ends.
TEST(Gate, ItsTestHasHalfOfAlphaAndItsIntervalsAgreeWithTheVerdicts) {
  const Comparison comparison = gate_on(planted::with_ratios({1.2, 1.0, 1.05}));
  EXPECT_DOUBLE_EQ(comparison.alpha, 0.05);
  EXPECT_DOUBLE_EQ(comparison.cells[2].ratio_interval->confidence, 0.95);
  EXPECT_GT(comparison.cells[0].ratio_interval->low, 1.05);
  EXPECT_LE(comparison.cells[1].ratio_interval->high, 1.05);
  EXPECT_LT(comparison.cells[2].ratio_interval->low, 1.05);
  EXPECT_GT(comparison.cells[2].ratio_interval->high, 1.05);
}

TEST(Gate, OfSeveralArmsAsksEachAgainstTheFirstAndNothingElse) {
  planted::Plan plan = planted::with_ratios({1.2, 1.0, 1.0});
  plan.arms = {"old", "new", "other"};
  const Comparison comparison = gate_on(plan);
  EXPECT_EQ(comparison.cells.size(), 6U);
  EXPECT_EQ(comparison.comparisons, 6U) << "the table is no larger than what is asked";
  EXPECT_TRUE(std::ranges::all_of(comparison.cells,
                                  [](const ComparedCell& row) { return row.arm_a == "old"; }));
  EXPECT_TRUE(comparison.best.empty());
}

TEST(Gate, WhereTheFirstArmDoesNotHaveACellNothingIsSlowerThanIt) {
  planted::Plan plan = planted::with_ratios({1.0, 1.0, 1.0});
  plan.arms = {"old", "new", "other"};
  store::Data data = planted::data(plan);
  planted::remove_cell(data, 0, 2);
  EXPECT_EQ(compare(planted::study(data, kGateRules)).cells.size(), 4U);
}

TEST(Gate, TheSentenceTellsWhatFailsFirst) {
  EXPECT_THAT(
      gate_on(planted::with_ratios({1.2, 1.0, 1.05})).sentence,
      HasSubstr("mpich is more than 5 % slower than openmpi (1.2 times as long) for 8 B, at "
                "most 5 % slower for 1 KiB, undecided for 16 KiB"));
  EXPECT_THAT(gate_on(planted::with_ratios({1.0, 1.0, 1.0})).sentence,
              HasSubstr("mpich is at most 5 % slower than openmpi for 8 B to 16 KiB"));
}

// Who is faster would be known after the first look; whether it is by more than 5 % is not.
TEST(Gate, ACellLeavesThePlanWhenTheGateKnowsNotWhenTheDifferenceIsKnown) {
  store::Data data = planted::data(planted::with_ratios({1.05, 1.5, 1.0}));
  data.looks = {look_after(1, 8)};
  const Standings gate = stand(data, kGateByLooks);
  EXPECT_THAT(gate.done(data), ElementsAre(record::ArmCell{1, 0}, record::ArmCell{1, 1},
                                           record::ArmCell{2, 0}, record::ArmCell{2, 1}));
  const Standings faster = stand(data, {.sequential = true});
  EXPECT_THAT(faster.done(data), testing::Contains(record::ArmCell{0, 0}));
}

TEST(Gate, ALookSpendsItsShare) {
  store::Data data = planted::data(planted::with_ratios({1.05, 1.05, 1.05}));
  data.looks = {look_after(1, 3)};
  const Comparison comparison = compare(planted::study(data, kGateByLooks));
  EXPECT_EQ(comparison.cells[0].verdict, Verdict::kUndecided);
  EXPECT_DOUBLE_EQ(comparison.cells[0].ratio_interval->confidence,
                   1 - 0.05 * stats::kLooks.front().alpha_share);
}

TEST(Gate, LooksWereAboutTheFirstArmSoAnotherReferenceIsRefused) {
  store::Data data = planted::data(planted::with_ratios({1.0, 1.0, 1.0}));
  data.looks = {look_after(1, 3)};
  const auto ask = [&](const Rules& rules) {
    return compare(planted::study(data, rules, {.arms = {"mpich", "openmpi"}}));
  };
  EXPECT_THROW(ask(kGateByLooks), base::UserError);
  EXPECT_NO_THROW(ask(kGateRules));
}

design::Campaign gate_campaign(std::optional<double> gate, design::Stopping stopping) {
  design::Campaign campaign;
  campaign.stopping = stopping;
  campaign.analysis.gate = gate;
  return campaign;
}

TEST(GateRules, TheCampaignsMarginHoldsUnlessTheCommandNamesAnother) {
  const design::Campaign campaign = gate_campaign(0.05, design::Stopping::kFixed);
  EXPECT_EQ(make_rules(campaign, {}).gate, 0.05);
  EXPECT_EQ(make_rules(campaign, {.gate = design::Gate{.margin = 0.1}}).gate, 0.1);
  EXPECT_EQ(make_rules(campaign, {.gate = design::Gate{}}).gate, std::nullopt);
  EXPECT_EQ(make_rules(gate_campaign({}, design::Stopping::kFixed), {}).gate, std::nullopt);
}

TEST(GateRules, LooksThatAskedForSomethingElseAreNotAskedForThis) {
  const design::Campaign usual = gate_campaign({}, design::Stopping::kLooks);
  EXPECT_THROW(make_rules(usual, {.gate = design::Gate{.margin = 0.05}}), base::UserError);
  EXPECT_EQ(make_rules(usual, {.gate = design::Gate{}}).gate, std::nullopt);
  const design::Campaign gate = gate_campaign(0.05, design::Stopping::kLooks);
  EXPECT_THROW(make_rules(gate, {.gate = design::Gate{}}), base::UserError);
  EXPECT_THROW(make_rules(gate, {.gate = design::Gate{.margin = 0.1}}), base::UserError);
  EXPECT_EQ(make_rules(gate, {.gate = design::Gate{.margin = 0.05}}).gate, 0.05);
}

TEST(GateRules, OtherSuitesHaveNoTestOfAMargin) {
  const design::Campaign campaign = gate_campaign(0.05, design::Stopping::kFixed);
  EXPECT_EQ(make_rules(campaign, {.method = "reprompi"}).gate, std::nullopt);
  EXPECT_THROW(make_rules(campaign, {.method = "reprompi", .gate = design::Gate{.margin = 0.05}}),
               base::UserError);
}

// What the gate asks of a pair of arms, as statistics have it: of the time of A / time of B.
struct GateQuestion {
  stats::Hypothesis hypothesis = {};
  stats::DecisionRule decision = {};
};

GateQuestion gate_question(const Rules& rules) {
  const store::Data data = planted::data(planted::with_ratios({1.0, 1.0, 1.0}));
  Rules looks = rules;
  looks.sequential = true;
  const Standings standings = stand(data, looks);
  return {.hypothesis = standings.pairs.front().hypothesis.turned(),
          .decision = decision_of(standings.pairs, rules)};
}

struct GateShares {
  double failed = 0;  // tables with a cell that fails
  double passed = 0;  // cells
};

// Tables of 20 cells whose true ratio B / A is this, each with a spread of its own and part of it
// shared by the table, judged at all looks.
GateShares gate_tables_at(double ratio, const GateQuestion& gate, int tables) {
  constexpr std::size_t kGateCells = 20;
  base::Random random(41);
  GateShares shares;
  for (int table = 0; table < tables; ++table) {
    std::vector<double> shared(stats::kLooks.back().launches);
    for (double& luck : shared) luck = 0.01 * planted::normal(random);
    std::vector<stats::SequentialCell> cells(kGateCells);
    for (std::size_t cell = 0; cell < kGateCells; ++cell) {
      cells[cell].hypothesis = gate.hypothesis;
      const double sd = 0.005 + 0.002 * static_cast<double>(cell);
      for (const double luck : shared) {
        cells[cell].d.push_back(-std::log(ratio) + luck + sd * planted::normal(random));
      }
    }
    const std::vector<stats::Standing> end = stats::take_looks(cells, stats::kLooks, gate.decision);
    bool failed = false;
    for (const stats::Standing& standing : end) {
      failed = failed || standing.row.verdict == Verdict::kViolated;
      shares.passed += standing.row.verdict == Verdict::kHolds ? 1.0 / kGateCells : 0;
    }
    shares.failed += failed ? 1 : 0;
  }
  shares.failed /= tables;
  shares.passed /= tables;
  return shares;
}

TEST(GateRates, ExactlyAtTheMarginFewTablesFailAndFewCellsPass) {
  constexpr int kGateTables = test::simulations(1000);
  const GateShares shares = gate_tables_at(1.05, gate_question(kGateRules), kGateTables);
  // Three standard errors above alpha / 2.
  constexpr double kGateRoom = 3 * 0.0049;
  EXPECT_LT(shares.failed, 0.025 + kGateRoom);
  EXPECT_GT(shares.failed, 0.002) << "the test must not be idle";
  EXPECT_LT(shares.passed, 0.025 + kGateRoom);
}

TEST(GateRates, ABuildAgainstItselfNeverFailsAndNearlyAlwaysPasses) {
  constexpr int kSameTables = test::simulations(200);
  const GateShares shares = gate_tables_at(1.0, gate_question(kGateRules), kSameTables);
  EXPECT_EQ(shares.failed, 0);
  EXPECT_GT(shares.passed, 0.9);
}

}  // namespace
}  // namespace invar::analysis
