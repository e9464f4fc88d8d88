#include "analysis/suites/show_as.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "analysis/questions/show.hpp"
#include "analysis/suite_data.hpp"
#include "base/error.hpp"
#include "golden.hpp"

namespace invar::analysis {
namespace {

using suite_data::Plan;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Rules rules_of(const std::vector<std::string>& measured) {
  Rules rules;
  rules.measured = measured;
  return rules;
}

ShownAs shown(const Plan& plan, const std::vector<std::string>& suites,
              const std::vector<std::string>& measured = {}) {
  static std::vector<store::Data> kept;  // results do not refer to it; the records must live on
  kept.push_back(suite_data::data(plan));
  return show_as(planted::study(kept.back(), rules_of(measured)), {.suites = suites});
}

// bcast as in the notes on OSU: rank 0 takes 130 ns and rank 1 700.
Plan unbalanced() {
  Plan plan;
  plan.time_ns = [](const record::Cell& cell, std::size_t, std::uint32_t, std::uint32_t rank) {
    if (cell.scheme == record::kOwnScheme) return 400.0;
    if (cell.scheme == "batch") return 200.0 + 10 * rank;
    return rank == 0 ? 130.0 : 700.0;
  };
  return plan;
}

// Ours are beside what the suites say, and need not be of one kind.
TEST(ShowAs, CellsWhoseOwnTimesAreLocalAreNamed) {
  ShownAs shown{.global_runtime = true};
  EXPECT_THAT(answer_of(shown).notes.front(),
              HasSubstr("invar: from the first start to the last "));
  shown.local_cells = {"bcast, 8 B"};
  EXPECT_THAT(answer_of(shown).notes.front(),
              HasSubstr("last end, but of the rank that took longest in bcast, 8 B"));
}

TEST(ShowAs, SuitesSideBySideReportWhatTheirOwnVisitsShow) {
  Plan plan = unbalanced();
  plan.schemes = {"barrier", "batch"};
  const ShownAs result = shown(plan, {"osu", "mpiblib", "nbcbench", "mpptest", "phloem", "pgmpi"});
  ASSERT_EQ(result.rows.size(), 1U) << "visits of the suites are no rows";
  std::vector<double> headlines;
  for (const SuiteReport& suite : result.rows[0].suites) {
    headlines.push_back(std::round(suite.numbers.front().median_ns));
  }
  EXPECT_THAT(headlines, ElementsAre(415, 700, 700, 200, 205, 400));
  EXPECT_NEAR(result.rows[0].own->median_ns, 400, 0.5);
  EXPECT_EQ(result.rows[0].suites[0].numbers[2].name, "max");
  EXPECT_NEAR(result.rows[0].suites[0].numbers[2].median_ns, 700, 0.5);
  EXPECT_EQ(result.rows[0].suites[0].calls, 30) << "three rounds of ten; warm-ups do not count";
  EXPECT_EQ(result.rows[0].suites[3].calls, 30) << "three batches of ten";
  EXPECT_THAT(result.sentence, HasSubstr("up to a factor 3.5"));
}

TEST(ShowAs, ReasonsAreThoseThatTheDataShow) {
  Plan plan = unbalanced();
  plan.schemes = {"barrier", "batch"};
  const ShownAs result = shown(plan, {"osu", "phloem"});
  EXPECT_THAT(result.reasons,
              Contains(HasSubstr("mean over ranks hides imbalance (osu): bcast, 8 B, 2 ranks, of "
                                 "openmpi, takes the slowest rank 0.700 us on average, the mean "
                                 "over ranks is 0.415 us")));
  EXPECT_THAT(result.reasons, Contains(HasSubstr("batches pipeline (phloem)")));
  EXPECT_THAT(result.reasons, Contains(HasSubstr("ranks do not leave MPI_Barrier together")));
  EXPECT_THAT(result.reasons, Not(Contains(HasSubstr("least of several means"))));
}

// A run of a program that failed in a cell that only suites have would be one of no cell of ours.
TEST(ShowAs, AProgramReportsItsOwnNumberBesideTheSuites) {
  Plan plan;
  plan.arms = {"openmpi", "program"};
  plan.per_rank = true;
  store::Data data = suite_data::data(plan);
  data.arms[1].program = "IMB-MPI1 Bcast";
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[1].visits) {
      visit.program = true;
      visit.rank_records = {};
    }
    std::erase_if(group.launches[1].visits,
                  [](const store::Visit& visit) { return visit.line.cell != 0; });
  }
  data.missed.push_back({.launch = 2, .arm = 1, .cell = 1, .reason = "timeout"});
  Rules rules = rules_of({"osu"});
  rules.method = Method::kReported;
  rules.preset = design::find_preset("osu");
  const Comparison compared = compare(planted::study(data, rules));
  ASSERT_EQ(compared.cells.size(), 1U);
  EXPECT_NEAR(compared.cells[0].time_b->median_ns, 500, 1);
  EXPECT_NEAR(*compared.cells[0].ratio, 1, 0.01);
}

// mpptest prints rank 0's batches: 0.200 us, where rank 0 alone takes 0.130 us and the mean over
// ranks is 0.415 us.
TEST(ShowAs, BatchesOfRankZeroAreComparedWithItsOwnSingleCalls) {
  Plan plan = unbalanced();
  plan.schemes = {"barrier", "batch"};
  EXPECT_THAT(shown(plan, {"osu", "mpptest"}).reasons,
              Contains(AllOf(HasSubstr("batches wait (mpptest)"), HasSubstr("0.130 us"))));
}

TEST(ShowAs, BatchesAreComparedWithSingleCallsOfTheSameRoot) {
  // With a moving root everything takes twice as long, in a batch as well as alone.
  Plan plan;
  plan.schemes = {"barrier", "barrier-rotating", "batch-rotating"};
  plan.time_ns = [](const record::Cell& cell, std::size_t, std::uint32_t, std::uint32_t) {
    return cell.root == record::kRotatingRoot ? 800.0 : 400.0;
  };
  EXPECT_THAT(shown(plan, {"osu", "imb-root-shift", "imb-papers"}).reasons,
              ElementsAre(HasSubstr(
                  "the root moves on after every call (imb-root-shift): bcast, 8 B, 2 ranks, "
                  "of openmpi, takes 0.800 us so, and 0.400 us with one root")));
}

TEST(ShowAs, WhereEverySuiteAgreesNothingIsExplained) {
  Plan plan;
  plan.schemes = {"barrier", "batch"};
  EXPECT_THAT(shown(plan, {"osu", "mpptest", "phloem"}).reasons, IsEmpty());
}

TEST(ShowAs, RangeOverLaunchesIsWhatSingleRunsWouldHaveSaid) {
  Plan plan;
  plan.launches = 3;
  plan.time_ns = [](const record::Cell&, std::size_t, std::uint32_t launch, std::uint32_t) {
    return 400.0 + 100 * launch;
  };
  const SuiteNumber headline = shown(plan, {"osu"}).rows[0].suites[0].numbers[0];
  EXPECT_NEAR(headline.low_ns, 500, 0.5);
  EXPECT_NEAR(headline.median_ns, 600, 0.5);
  EXPECT_NEAR(headline.high_ns, 700, 0.5);
}

TEST(ShowAs, WhatWasNotMeasuredItsWaySaysSoAndHow) {
  const ShownAs result = shown(Plan{}, {"osu", "skampi", "mpptest"});
  EXPECT_EQ(result.rows[0].suites[1].missing, "not measured its way");
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("skampi and mpptest were not measured their way: measure again "
                                 "with race --presets skampi,mpptest, or presets = [\"skampi\", "
                                 "\"mpptest\"] in [analysis]")));
}

TEST(ShowAs, WithoutAnyThatCanBeShownIsAnError) {
  Plan plan;
  plan.schemes = {};
  EXPECT_THAT(test::faults_of([&] {
                (void)shown(plan, {"osu", "skampi"});
              }),
              ElementsAre("--as: osu: not measured its way; measure again with race --presets osu, "
                          "or presets = [\"osu\"] in [analysis]",
                          HasSubstr("--as: skampi: not measured its way")));
  EXPECT_NO_THROW((void)shown(plan, {"osu", "reprompi"})) << "reprompi looks at our visits";
}

TEST(ShowAs, AMovingRootIsLookedForAndPlainVisitsServeOnlyWhatHasNoRoot) {
  Plan fixed;
  EXPECT_EQ(shown(fixed, {"osu", "imb-root-shift"}).rows[0].suites[1].missing,
            "not measured its way")
      << "bcast from one root is not what imb -root_shift on measures";
  Plan rotating;
  rotating.schemes = {"barrier-rotating"};
  EXPECT_EQ(shown(rotating, {"imb-root-shift"}).rows[0].suites[0].numbers.size(), 3U);
  Plan unrooted;
  unrooted.operations = {"allreduce"};
  unrooted.rotates = false;
  EXPECT_EQ(
      shown(unrooted, {"imb-root-shift"}, {"imb-root-shift"}).rows[0].suites[0].numbers.size(), 3U);
}

TEST(ShowAs, WithoutSingleRanksNoMeanOverThem) {
  Plan plan;
  plan.per_rank = false;
  const ShownAs result = shown(plan, {"osu", "mpiblib"});
  EXPECT_EQ(result.rows[0].suites[0].missing,
            "single ranks were not recorded (record = \"per-rank\" does)");
  EXPECT_FALSE(result.rows[0].suites[1].numbers.empty());
}

// Recorded or not: what hosts with other counters, or such as nobody compared (clock-sync "none"),
// took is not known.
TEST(ShowAs, TicksOfSeveralRatesAreNoTimesOfSingleRanks) {
  for (const bool per_rank : {true, false}) {
    Plan plan;
    plan.per_rank = per_rank;
    store::Data data = suite_data::data(plan);
    for (store::Group& group : data.groups) {
      for (store::Launch& launch : group.launches) {
        for (store::Visit& visit : launch.visits) visit.one_rate = false;
      }
    }
    const ShownAs result =
        show_as(planted::study(data, rules_of({})), {.suites = {"osu", "mpiblib"}});
    EXPECT_EQ(result.rows[0].suites[0].missing,
              "its hosts' clocks do not tick at one rate, or nobody compared them, and only rank "
              "0's rate is recorded");
    EXPECT_FALSE(result.rows[0].suites[1].numbers.empty()) << "the recorder knew the rates";
  }
}

TEST(ShowAs, UnknownSuiteIsAUsageError) {
  EXPECT_THAT(test::faults_of([] { (void)shown(Plan{}, {"ous"}); }),
              ElementsAre("--as: there is no preset 'ous'; did you mean 'osu'?"));
}

TEST(OwnVisits, SuitesVisitsEnterNeitherTablesNorVerdicts) {
  Plan with = unbalanced();
  with.arms = {"openmpi", "mpich"};
  with.launches = 4;
  Plan without = with;
  without.schemes = {};
  const store::Data all = suite_data::data(with);
  const store::Data own = suite_data::data(without);
  const Comparison compared = compare(planted::study(all, rules_of({})));
  const Comparison expected = compare(planted::study(own, rules_of({})));
  EXPECT_EQ(compared.sentence, expected.sentence);
  EXPECT_EQ(compared.warnings, expected.warnings);
  EXPECT_EQ(compared.cells.size(), 1U);
  const Show times = show(planted::study(all, rules_of({})));
  EXPECT_EQ(times.groups.size(), 2U);
  EXPECT_EQ(times.by, show(planted::study(own, rules_of({}))).by) << "no column of theirs";
}

TEST(CompareMethod, SuiteWithoutATestYieldsARatioAndNoVerdict) {
  Plan plan;
  plan.arms = {"openmpi", "mpich"};
  plan.launches = 3;
  // The third run says the opposite.
  plan.time_ns = [](const record::Cell&, std::size_t arm, std::uint32_t launch, std::uint32_t) {
    return arm == 0 ? 500.0 : (launch == 3 ? 450.0 : 600.0);
  };
  const store::Data data = suite_data::data(plan);
  Rules rules = rules_of({"osu"});
  rules.method = Method::kReported;
  rules.preset = design::find_preset("osu");
  const Comparison result = compare(planted::study(data, rules));
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_NEAR(*result.cells[0].ratio, 1.2, 1e-3);
  EXPECT_FALSE(result.cells[0].verdict);
  EXPECT_FALSE(result.cells[0].p);
  EXPECT_FALSE(result.cells[0].ratio_interval);
  EXPECT_EQ(result.sentence,
            "By osu's numbers, one a run and without any test, mpich takes 1.20 times as long as "
            "openmpi: 2 ranks, 1 host, shared memory, this session.");
  EXPECT_THAT(result.warnings, Contains(HasSubstr("single runs of osu would contradict each other "
                                                  "in 1 of 1 comparison: bcast, 8 B, 2 ranks has 1 "
                                                  "of 3 launches on the other side")));
}

TEST(CompareMethod, SuiteThatWasNotMeasuredItsWayIsRefused) {
  Plan plan;
  plan.arms = {"openmpi", "mpich"};
  const store::Data data = suite_data::data(plan);
  Rules rules = rules_of({});
  rules.method = Method::kReported;
  rules.preset = design::find_preset("mpptest");
  EXPECT_THAT(test::faults_of([&] { (void)compare(planted::study(data, rules)); }),
              ElementsAre(HasSubstr("--method: mpptest: not measured its way; measure again with "
                                    "race --presets mpptest")));
}

TEST(CompareMethod, EveryPresetIsAMethodAndUnknownOnesAreRefused) {
  const design::Campaign campaign{.name = "n"};
  for (const std::string& name : design::preset_names()) {
    const Rules rules = make_rules(campaign, {.method = name});
    EXPECT_EQ(rules.preset->name, name);
    const bool tests = name == "reprompi" || name == "pgmpi";
    EXPECT_EQ(rules.method, tests ? Method::kLaunchTest : Method::kReported);
  }
  EXPECT_EQ(make_rules(campaign, {}).preset, nullptr);
  EXPECT_THAT(test::faults_of([&] { (void)make_rules(campaign, {.method = "ous"}); }),
              ElementsAre("--method: unknown value 'ous'; did you mean 'osu'?"));
}

}  // namespace
}  // namespace invar::analysis
