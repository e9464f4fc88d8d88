// Several campaigns a side: each is a session, and one value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "analysis/sessions/sessions_lack.hpp"
#include "analysis/study/outcome.hpp"
#include "base/error.hpp"
#include "simulations.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Which campaigns stand on a side, and how much longer everything took in each of them.
struct Night {
  std::string dir = {};
  double factor = 1;
  std::vector<std::string> arms = {"openmpi"};
};

// Without any luck but the session's, unless `plan` says so.
planted::Plan quiet_plan() {
  planted::Plan plan;
  plan.groups = 3;
  plan.rounds = 3;
  plan.repetitions = 3;
  plan.group_sd = plan.launch_sd = plan.visit_sd = plan.noise_sd = 0;
  return plan;
}

// "n3" is the third night, and has a seed of its own.
store::Data measured(const Night& night, planted::Plan plan = quiet_plan()) {
  const std::uint64_t number = std::stoul(night.dir.substr(1));
  plan.seed = 1000 * plan.seed + number;
  plan.arms = night.arms;
  const auto time_ns = plan.time_ns;
  // A picosecond of its own: no two campaigns hold the same bytes.
  const double own = static_cast<double>(number) * 1e-3;
  plan.time_ns = [time_ns, own, factor = night.factor](std::size_t arm, std::size_t cell) {
    return 1e3 * time_ns(arm, cell) * factor + own;
  };
  store::Data data = planted::data(plan);
  data.dir = night.dir;
  data.session = data.sessions.emplace_back("2026-11-0" + std::to_string(number) + ".boot");
  return data;
}

std::vector<store::Data> measured_all(const std::vector<Night>& nights) {
  std::vector<store::Data> all;
  for (const Night& night : nights) all.push_back(measured(night));
  return all;
}

// The sides' nights take turns.
const std::vector<Night> kOld{{"n1", 1.00}, {"n3", 1.02}, {"n5", 0.98}};
const std::vector<Night> kNew{{"n2", 1.20}, {"n4", 1.23}, {"n6", 1.19}};
const CompareOptions kGateOptions{.gate = design::Gate{.margin = 0.05}};

Comparison over(const std::vector<Night>& first, const std::vector<Night>& second,
                const CompareOptions& options = {}) {
  return compare_campaigns(
      planted::sides(measured_all(first), measured_all(second), Rules{}, options));
}

std::string texts_of_lack(const Study& study) {
  const std::optional<Lack> lack = campaigns_lack(study);
  if (!lack) return "";
  std::string text;
  for (const base::Fault& fault : lack->faults) text += fault.text() + "\n";
  return text;
}

// R: t.test(log(c(1.20, 1.23, 1.19)), log(c(1.00, 1.02, 0.98))), exponentials of mean difference
// and interval.
TEST(Sessions, EachIsOneValueOfWelchsTest) {
  const Comparison result = over(kOld, kNew);
  ASSERT_EQ(result.cells.size(), 3U);
  const ComparedCell& row = result.cells.front();
  EXPECT_EQ(row.launches, 3U) << "nine launches a side are three sessions";
  EXPECT_NEAR(*row.ratio, 1.20670845901, 1e-6);
  EXPECT_NEAR(*row.p, 0.000282002184423, 1e-8);
  EXPECT_EQ(row.verdict, Verdict::kFaster);
  // All three cells are rejected, so that the printed interval is the plain one.
  EXPECT_NEAR(row.ratio_interval->low, 1.15631632450, 1e-6);
  EXPECT_NEAR(row.ratio_interval->high, 1.25929667703, 1e-6);
  EXPECT_EQ(result.comparisons, 3U);
  EXPECT_EQ(result.pairing, Pairing::kNone);
}

// R: t.test(..., mu = log(1.05), alternative = "greater").
TEST(Sessions, AGateAsksForItsMargin) {
  const Comparison result = over(kOld, kNew, kGateOptions);
  EXPECT_NEAR(*result.cells.front().p, 0.000442081820032, 1e-8);
  EXPECT_EQ(result.cells.front().verdict, Verdict::kViolated);
  EXPECT_EQ(result.gate, 0.05);
  EXPECT_EQ(outcome_status(result, {}), 1);
  EXPECT_EQ(gate_text(result, {}),
            "gate: more than 5 % slower in 3 cells: allreduce 8 B, allreduce 1 KiB, "
            "allreduce 16 KiB (exit 1)");
  EXPECT_THAT(test_cases(result, {}).front().text, HasSubstr("3 sessions a side: fail"));
}

TEST(Sessions, AGatePassesWhereTheIntervalEndsBelowTheMarginAndIsOpenElse) {
  const std::vector<Night> same{{"n2", 1.000}, {"n4", 1.001}, {"n6", 0.999}};
  const std::vector<Night> near{{"n1", 1.000}, {"n3", 1.001}, {"n5", 0.999}};
  const Comparison passes = over(near, same, kGateOptions);
  EXPECT_EQ(passes.cells.front().verdict, Verdict::kHolds);
  EXPECT_EQ(outcome_status(passes, {.fail_on_slower = true, .undecided_exit = 125}), 0);
  const Comparison open = over(kOld, {{"n2", 1.00}, {"n4", 1.10}, {"n6", 0.97}}, kGateOptions);
  EXPECT_EQ(open.cells.front().verdict, Verdict::kUndecided);
  EXPECT_EQ(outcome_status(open, {.fail_on_slower = true, .undecided_exit = 125}), 125);
  EXPECT_THAT(open.warnings, Contains(HasSubstr("undecided after 3 sessions; about")));
}

TEST(Sessions, TheSentenceNamesThemAndSaysNothingOfTheMachinesChange) {
  const Comparison result = over(kOld, kNew);
  EXPECT_THAT(
      result.sentence,
      AllOf(HasSubstr("openmpi was 1.2 times faster in sessions A than in B for 8 B to 16 "
                      "KiB: 2 ranks, 1 host, sessions A (n1, n3, n5) against B (n2, n4, n6)"),
            Not(HasSubstr("machine's change"))));
  EXPECT_THAT(over(kOld, kNew, kGateOptions).sentence,
              HasSubstr("openmpi is more than 5 % slower in sessions B than in A (1.2 times as "
                        "long) for 8 B to 16 KiB"));
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("older than those of B"))));
  const std::vector<Night> later{{"n7", 1.20}, {"n8", 1.23}, {"n9", 1.19}};
  EXPECT_THAT(over(kOld, later).warnings, Contains(HasSubstr("older than those of B")));
}

TEST(Sessions, ArmsAreMatchedByTheirLabelsAndChosenByArms) {
  std::vector<Night> old = kOld;
  std::vector<Night> newer = kNew;
  for (Night& night : old) night.arms = {"openmpi", "mpich"};
  for (Night& night : newer) night.arms = {"mpich", "openmpi"};
  newer.back().arms = {"mpich", "openmpi", "other"};
  const Comparison all = over(old, newer);
  ASSERT_EQ(all.cells.size(), 6U);
  EXPECT_EQ(all.cells[0].arm_a, "openmpi@A");
  EXPECT_EQ(all.cells[0].arm_b, "openmpi@B");
  EXPECT_EQ(all.cells[1].arm_b, "mpich@B");
  EXPECT_EQ(all.arms.front().launches, 9U);
  const Comparison one = over(old, newer, {.arms = {"mpich"}});
  ASSERT_EQ(one.cells.size(), 3U);
  const Comparison crossed = over(old, newer, {.arms = {"openmpi@A", "mpich@B"}});
  ASSERT_EQ(crossed.cells.size(), 3U);
  EXPECT_EQ(crossed.cells[0].arm_b, "mpich@B");
}

TEST(Sessions, WithoutACommonLabelTheSecondSideMeetsTheFirstArm) {
  std::vector<Night> newer = kNew;
  for (Night& night : newer) night.arms = {"new"};
  const Comparison result = over(kOld, newer, kGateOptions);
  EXPECT_EQ(result.cells.front().arm_b, "new@B");
  EXPECT_THAT(result.sentence,
              HasSubstr("new in sessions B is more than 5 % slower than openmpi in A"));
}

TEST(Sessions, EverythingThatIsMissingIsToldAtOnce) {
  const store::Data first = measured({"n1"});
  store::Data copy = first;
  copy.dir = "copy-of-n1";
  const std::string texts =
      texts_of_lack(planted::sides({first, first}, {copy, measured({"n2", 1, {"new"}})}, Rules{}));
  EXPECT_THAT(texts, HasSubstr("n1: stands twice in side A"));
  EXPECT_THAT(texts, HasSubstr("copy-of-n1: holds the same data as n1, which stands in the other "
                               "side; name every session once"));
  EXPECT_THAT(texts, HasSubstr("side A: has 2 sessions, of 3 that are needed at least; measure 1 "
                               "more"));
  EXPECT_THAT(texts, HasSubstr("side B: has 2 sessions"));
  EXPECT_THAT(texts, HasSubstr("side B: no arm is in all of its sessions: copy-of-n1 has openmpi; "
                               "n2 has new; give the same build the same label"));
}

TEST(Sessions, ADirectoryInBothSidesIsRefused) {
  std::vector<store::Data> old = measured_all(kOld);
  std::vector<store::Data> newer = measured_all(kNew);
  newer.push_back(old.front());
  EXPECT_EQ(texts_of_lack(planted::sides(old, newer)),
            "n1: stands in both sides; name every session once\n");
}

TEST(Sessions, OneAgainstThreeLacksTwo) {
  EXPECT_THAT(texts_of_lack(planted::sides({measured({"n1"})}, measured_all(kNew))),
              HasSubstr("side A: has 1 session, of 3 that are needed at least; measure 2 more"));
}

TEST(Sessions, CellsThatNotAllHaveAreLeftOutAndNoneAtAllIsALack) {
  std::vector<store::Data> old = measured_all(kOld);
  std::vector<store::Data> newer = measured_all(kNew);
  newer[1].cells[1].size_bytes = 999;
  const Comparison result = compare_campaigns(planted::sides(old, newer));
  EXPECT_EQ(result.cells.size(), 2U);
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("1 cell not compared: not every session has it")));
  for (record::Cell& cell : old[2].cells) cell.operation = "bcast";
  const std::string texts = texts_of_lack(planted::sides(old, newer));
  EXPECT_THAT(texts, HasSubstr("n1: no common cell; this campaign has allreduce, 8 B"));
  EXPECT_THAT(texts, HasSubstr("n5: this one has bcast, 8 B"));
}

TEST(Sessions, OtherSuitesKnowNone) {
  const design::Preset* const reprompi = design::find_preset("reprompi");
  const Study study = planted::sides(measured_all(kOld), measured_all(kNew),
                                     {.method = Method::kLaunchTest, .preset = reprompi});
  EXPECT_THAT(texts_of_lack(study), HasSubstr("--method: other suites know launches and no"));
}

TEST(Sessions, ASessionWithoutDataHasItsOwnStatusUnlessTheWordsAreWrongAnyway) {
  std::vector<store::Data> old = measured_all(kOld);
  old[1].groups.clear();
  old[1].ended = false;
  EXPECT_EQ(campaigns_lack(planted::sides(old, measured_all(kNew)))->status,
            base::Exit::kIncomplete);
  old.pop_back();
  EXPECT_EQ(campaigns_lack(planted::sides(old, measured_all(kNew)))->status, base::Exit::kUsage);
}

TEST(Sessions, AFailedMeasurementIsGraverThanACampaignOfAnotherKind) {
  std::vector<store::Data> old = measured_all(kOld);
  old[0].groups.clear();
  for (store::Group& group : old[1].groups) {
    for (store::Launch& launch : group.launches) launch.visits.clear();
  }
  EXPECT_EQ(campaigns_lack(planted::sides(old, measured_all(kNew)))->status,
            base::Exit::kMeasurementFailed);
  old[2].groups.clear();
  old[2].ended = false;
  EXPECT_EQ(campaigns_lack(planted::sides(old, measured_all(kNew)))->status,
            base::Exit::kIncomplete);
}

TEST(Sessions, NoPageIsNamedThatCannotBeMade) {
  std::vector<std::string> steps;
  for (const Remark& step : answer_of(over(kOld, kNew)).next) steps.push_back(step.label);
  EXPECT_THAT(steps, ElementsAre("data"));
}

TEST(Sessions, TheHealthOfAllOfThemCounts) {
  std::vector<store::Data> newer = measured_all(kNew);
  newer[2].failed_groups.push_back({.group = 9, .reason = "killed"});
  const auto status = [&](const std::vector<store::Data>& old) {
    return outcome_status(compare_campaigns(planted::sides(old, newer, Rules{}, kGateOptions)),
                          {.fail_on_slower = true});
  };
  std::vector<store::Data> old = measured_all(kOld);
  EXPECT_EQ(status(old), 3) << "before what the gate found";
  old[1].ended = false;
  EXPECT_EQ(status(old), 4);
  old[0].damage.push_back({.place = "launch 1", .what = "does not match"});
  EXPECT_EQ(status(old), 5);
  newer[2].failed_groups.clear();
  EXPECT_EQ(status(measured_all(kOld)), 1);
}

TEST(Sessions, ACellThatFewerThanThreeGaveTimesForHasNoVerdict) {
  std::vector<store::Data> newer = measured_all(kNew);
  planted::remove_cell(newer[0], 0, 1);
  const Comparison result =
      compare_campaigns(planted::sides(measured_all(kOld), newer, Rules{}, kGateOptions));
  EXPECT_EQ(result.cells[1].doubt, Doubt::kSessions);
  EXPECT_EQ(result.cells[1].launches, 2U);
  EXPECT_FALSE(result.cells[1].ratio.has_value());
  EXPECT_THAT(result.warnings, Contains(HasSubstr("no ratio in 1 row: fewer than 3 sessions")));
  EXPECT_TRUE(findings_of(result).undecided);
}

TEST(Sessions, OneThatTimedBatchesIsNotMixedWithOthers) {
  std::vector<store::Data> newer = measured_all(kNew);
  for (store::Group& group : newer[1].groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        if (visit.line.cell == 0) visit.line.calls = 62;
      }
    }
  }
  const Comparison result = compare_campaigns(planted::sides(measured_all(kOld), newer));
  EXPECT_EQ(result.cells[0].doubt, Doubt::kBatches);
  EXPECT_FALSE(result.cells[0].verdict.has_value());
  EXPECT_EQ(result.cells[1].verdict, Verdict::kFaster);
}

TEST(Sessions, CampaignsOfOneSessionAreNamed) {
  std::vector<store::Data> newer = measured_all(kNew);
  EXPECT_THAT(compare_campaigns(planted::sides(measured_all(kOld), newer)).warnings,
              Not(Contains(HasSubstr("measured in one session"))));
  newer[1].session = newer[0].session;
  EXPECT_THAT(
      compare_campaigns(planted::sides(measured_all(kOld), newer)).warnings,
      Contains(HasSubstr("n2, n4 were measured in one session (2026-11-02.boot): how days")));
}

TEST(Sessions, DifferentMachinesAreNamed) {
  std::vector<store::Data> newer = measured_all(kNew);
  std::vector<store::Data> old = measured_all(kOld);
  for (store::Data& data : old) data.hosts = {"node1"};
  for (store::Data& data : newer) data.hosts = {"node1"};
  EXPECT_THAT(compare_campaigns(planted::sides(old, newer)).warnings,
              Not(Contains(HasSubstr("different machines"))));
  newer[2].hosts = {"node2"};
  EXPECT_THAT(compare_campaigns(planted::sides(old, newer)).warnings,
              Contains(HasSubstr("the sessions are of different machines: n1, n3, n5, 2 more on "
                                 "node1; n6 on node2")));
}

TEST(Sessions, ASideOfTwoBuildsIsNamed) {
  std::vector<store::Data> newer = measured_all(kNew);
  for (store::Data& data : newer) data.arms[0].settings = {{"OMPI_MCA_btl", "self,vader"}};
  newer[1].arms[0].settings = {{"OMPI_MCA_btl", "tcp"}};
  EXPECT_THAT(compare_campaigns(planted::sides(measured_all(kOld), newer)).warnings,
              Contains(AllOf(HasSubstr("the sessions of a side are not of one build"),
                             HasSubstr("(invar env n2 n4)"))));
}

// Regimes.

// `slow` of ten blocks of every launch are three times as slow, and so are their canaries.
store::Data sessions_in_regimes(const Night& night, std::uint32_t slow) {
  planted::Plan plan = quiet_plan();
  plan.rounds = 20;
  plan.cells = {planted::cell("allreduce", 8)};
  plan.block_canary_ns = [slow](std::uint32_t group, std::uint32_t block) {
    return (block % 10 < slow ? 500 : 130) * (1 + 0.01 * ((group + block) % 5));
  };
  plan.slower = [slow](std::uint32_t, std::uint32_t block, std::size_t) {
    return block % 10 < slow ? 3.0 : 1.0;
  };
  return measured(night, plan);
}

TEST(SessionsRegimes, TheValueOfASessionIsOfTheReferenceRegimeOfAll) {
  const std::vector<store::Data> old{sessions_in_regimes({"n1", 1.00}, 6),
                                     sessions_in_regimes({"n3", 1.02}, 2),
                                     sessions_in_regimes({"n5", 0.98}, 0)};
  const std::vector<store::Data> newer{sessions_in_regimes({"n2", 1.20}, 1),
                                       sessions_in_regimes({"n4", 1.23}, 7),
                                       sessions_in_regimes({"n6", 1.19}, 4)};
  const Comparison result = compare_campaigns(planted::sides(old, newer));
  EXPECT_NEAR(*result.cells.front().ratio, 1.20670845901, 1e-6);
  EXPECT_EQ(result.cells.front().launches, 3U);
  ASSERT_TRUE(result.reference.has_value());
  EXPECT_THAT(result.scope, HasSubstr("of visits)"));
  ASSERT_EQ(result.regimes.found.size(), 2U);
  EXPECT_EQ(result.regimes.found[0].campaign_shares.size(), 2U) << "one of each side";
}

TEST(SessionsRegimes, WithoutACommonOneItIsSaidWhichEachWasIn) {
  const std::vector<store::Data> old{sessions_in_regimes({"n1"}, 0), sessions_in_regimes({"n3"}, 0),
                                     sessions_in_regimes({"n5"}, 0)};
  const std::vector<store::Data> newer{sessions_in_regimes({"n2"}, 0),
                                       sessions_in_regimes({"n4"}, 10),
                                       sessions_in_regimes({"n6"}, 0)};
  EXPECT_THAT(texts_of_lack(planted::sides(old, newer)),
              AllOf(HasSubstr("reference regime: there is none that all sessions were in for a "
                              "tenth of their visits: canary 0.13"),
                    HasSubstr(" of n1, n3, n5, n2, 1 more; canary 0.5"), HasSubstr(" of n4;")));
}

TEST(SessionsRegimes, ANamedOneThatASessionWasHardlyInIsRefused) {
  const std::vector<store::Data> old{sessions_in_regimes({"n1"}, 0), sessions_in_regimes({"n3"}, 0),
                                     sessions_in_regimes({"n5"}, 0)};
  const std::vector<store::Data> newer{sessions_in_regimes({"n2"}, 0),
                                       sessions_in_regimes({"n4"}, 0),
                                       sessions_in_regimes({"n6"}, 0)};
  Rules named;
  named.regime = base::CanaryBand{.low_ns = 400, .high_ns = 700};
  EXPECT_THAT(texts_of_lack(planted::sides(old, newer, named)),
              HasSubstr("reference regime: too little is in 400ns:700ns: n1 with 0 % of its "
                        "visits, n3 with 0 % of its visits"));
  named.regime = base::CanaryBand{.low_ns = 100, .high_ns = 300};
  EXPECT_THAT(texts_of_lack(planted::sides(old, newer, named)), IsEmpty());
}

TEST(SessionsRegimes, OneThatASessionNamedForItselfBindsNoOther) {
  constexpr base::CanaryBand kSlow{.low_ns = 400, .high_ns = 700};
  const auto studies = [&](const std::vector<Night>& nights, bool first, bool others,
                           const CompareOptions& options) {
    std::vector<Study> all;
    for (const Night& night : nights) {
      Rules rules;
      if (all.empty() ? first : others) rules.regime = kSlow;
      all.push_back(planted::study(sessions_in_regimes(night, 5), rules, options));
    }
    return all;
  };
  const auto of = [&](bool first, bool others, const CompareOptions& options = {}) {
    const std::vector<Study> ours = studies(kOld, first, others, options);
    const std::vector<Study> theirs = studies(kNew, others, others, options);
    return Study(std::span<const Study>(ours), std::span<const Study>(theirs));
  };
  EXPECT_FALSE(of(true, false).rules().regime);
  EXPECT_LT(compare_campaigns(of(true, false)).reference->median_ns, 200) << "the fastest of all";
  EXPECT_FALSE(of(false, true).rules().regime);
  EXPECT_EQ(of(true, true).rules().regime, kSlow);
  EXPECT_EQ(of(true, false, {.regime = kSlow}).rules().regime, kSlow) << "an option does";
}

// What the looks of a campaign asked about its own arms is nobody's business here.
TEST(SessionsRules, LooksForSomethingElseDoNotRefuseAGate) {
  design::Campaign campaign;
  campaign.stopping = design::Stopping::kLooks;
  EXPECT_THROW(make_rules(campaign, kGateOptions), base::UserError);
  CompareOptions options = kGateOptions;
  options.with_others = true;
  EXPECT_NO_THROW(make_rules(campaign, options));
}

// Rates.

struct SessionTruth {
  double ratio = 1;
  double session_sd = 0.03;       // of everything in a session
  double session_cell_sd = 0.01;  // of a cell in a session
  double launch_sd = 0.01;
  std::size_t sessions = 3;  // of each side
};

// Verdicts on tables of five cells, of which the second side takes `ratio` times as long in all.
std::vector<Comparison> tables_over_sessions(const SessionTruth& truth, int tables,
                                             const CompareOptions& options) {
  base::Random random(2016);
  std::vector<Comparison> results;
  for (int table = 0; table < tables; ++table) {
    std::array<std::vector<store::Data>, 2> sides;
    for (std::size_t i = 0; i < 2 * truth.sessions; ++i) {
      planted::Plan plan = quiet_plan();
      plan.rounds = plan.repetitions = 1;
      plan.warm_up = 0;
      plan.launch_sd = truth.launch_sd;
      plan.seed = static_cast<std::uint64_t>(table);
      plan.cells.clear();
      std::vector<double> factors;
      const double luck = truth.session_sd * planted::normal(random);
      for (std::uint64_t cell = 0; cell < 5; ++cell) {
        plan.cells.push_back(planted::cell("allreduce", 8U << cell));
        factors.push_back(std::exp(luck + truth.session_cell_sd * planted::normal(random)));
      }
      const double ratio = i % 2 == 1 ? truth.ratio : 1;
      plan.time_ns = [factors, ratio](std::size_t, std::size_t cell) {
        return 1000 * ratio * factors[cell];
      };
      sides.at(i % 2).push_back(measured({"n" + std::to_string(i + 1)}, plan));
    }
    results.push_back(compare_campaigns(planted::sides(sides[0], sides[1], Rules{}, options)));
  }
  return results;
}

double share_of_tables(const std::vector<Comparison>& tables, std::initializer_list<Verdict> any) {
  const auto has_one = [&](const Comparison& table) {
    return std::ranges::any_of(table.cells, [&](const ComparedCell& row) {
      return !row.regime && std::ranges::find(any, row.verdict) != any.end();
    });
  };
  return static_cast<double>(std::ranges::count_if(tables, has_one)) /
         static_cast<double>(tables.size());
}

// Sessions differ by 3 %, launches within one by 1 %: launches as the unit would take the luck of a
// session for the build's.
constexpr int kManyTables = test::simulations(400);
constexpr int kQuietTables = test::simulations(100);

TEST(SessionsRates, ExactlyAtTheMarginFewTablesFail) {
  const auto tables = tables_over_sessions({.ratio = 1.05}, kManyTables, kGateOptions);
  // Three standard errors above alpha / 2.
  EXPECT_LT(share_of_tables(tables, {Verdict::kViolated}), 0.025 + 3 * 0.0078);
}

TEST(SessionsRates, EqualBuildsAreHardlyEverToldApart) {
  const auto tables = tables_over_sessions({}, kManyTables, {});
  EXPECT_LT(share_of_tables(tables, {Verdict::kFaster, Verdict::kSlower}), 0.05 + 3 * 0.011);
}

TEST(SessionsRates, TwentyPercentAreFoundInFiveSessionsASideOfAQuietMachine) {
  const auto tables =
      tables_over_sessions({.ratio = 1.2, .sessions = 5}, kQuietTables, kGateOptions);
  if (test::kSanitized) return;
  EXPECT_GT(share_of_tables(tables, {Verdict::kViolated}), 0.9);
}

TEST(SessionsRates, ABuildAgainstItselfPassesInFiveSessionsASideOfAQuietMachine) {
  const auto tables = tables_over_sessions(
      {.session_sd = 0.01, .session_cell_sd = 0.005, .sessions = 5}, kQuietTables, kGateOptions);
  EXPECT_EQ(share_of_tables(tables, {Verdict::kViolated}), 0);
  if (test::kSanitized) return;
  EXPECT_LT(share_of_tables(tables, {Verdict::kUndecided}), 0.2);
}

}  // namespace
}  // namespace invar::analysis
