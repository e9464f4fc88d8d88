// Visits of their own for other suites' ways of measuring.
#include "design/campaign/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "design/helpers.hpp"
#include "design/recipes/suite_campaign.hpp"
#include "design/suites/suite_ways.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;

Campaign with_presets(const std::vector<std::string>& presets, const std::string& operation) {
  Campaign campaign = small_campaign(2, 1, 2);
  campaign.cells.front().operations = {operation};
  campaign.analysis.presets = presets;
  return campaign;
}

std::vector<std::string> schemes(const ResolvedCells& resolved) {
  std::vector<std::string> all;
  for (const record::Cell& cell : resolved.cells) {
    all.push_back(cell.scheme + (cell.root == record::kRotatingRoot ? " rotating" : ""));
  }
  return all;
}

TEST(Presets, EachNamesAKnownSchemeOrOursAndEveryNameIsItsOwn) {
  std::vector<std::string> names = preset_names();
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(preset.scheme.empty() || record::find_scheme(preset.scheme) != nullptr)
        << preset.name;
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(Presets, CellsOfTheirOwnStandBehindOursAndSuitesShareThem) {
  // osu, imb, mpiblib: one way of measuring.
  EXPECT_THAT(schemes(resolved(with_presets({"mpiblib", "imb", "osu"}, "bcast"))),
              ElementsAre("invar", "barrier"));
  EXPECT_THAT(schemes(resolved(with_presets({"imb-root-shift", "osu"}, "bcast"))),
              ElementsAre("invar", "barrier", "barrier-rotating rotating"));
  EXPECT_THAT(schemes(resolved(with_presets({"imb-root-shift", "osu"}, "allgather"))),
              ElementsAre("invar", "barrier"))
      << "without a root nothing moves";
}

TEST(Presets, OwnVisitsAreThoseOfTheSameCampaignWithoutPresets) {
  EXPECT_THAT(schemes(resolved(with_presets({}, "bcast"))), ElementsAre("invar"));
  EXPECT_THAT(schemes(resolved(with_presets({"reprompi", "pgmpi"}, "bcast"))),
              ElementsAre("invar"));
}

TEST(Presets, BatchesMakeOneOfWhatAreRepetitionsElsewhere) {
  const Campaign campaign = with_presets({"mpptest", "osu"}, "bcast");
  Counters counters;
  const record::Plan plan = plan_groups(campaign, resolved(campaign), 1, counters);
  ASSERT_EQ(plan.rows.size(), 2U * 2U * 3U) << "rounds, arms, ways of measuring";
  for (const record::PlanRow& row : plan.rows) {
    const bool batch = plan.cells[row.cell].scheme == "batch";
    EXPECT_EQ(row.calls, batch ? 25U : 1U);
    EXPECT_EQ(row.repetitions, batch ? 1U : 25U);
  }
}

TEST(Presets, PlanOfTheirVisitsCanBeReadAndChecked) {
  const Campaign campaign = with_presets({"imb-papers", "skampi"}, "reduce");
  const ResolvedCells cells = resolved(campaign);
  Counters counters;
  const std::string text = record::plan_csv(plan_groups(campaign, cells, 2, counters));
  EXPECT_NO_THROW(check_plan(record::read_plan(text, "plan.csv"), campaign, cells, "plan.csv"));
}

TEST(Presets, WhatLacksAnOperationIsSaidOnce) {
  const Campaign campaign = with_presets({"osu", "skampi", "mpptest"}, "bcast");
  Surroundings machine = surroundings(2);
  for (record::OperationInfo& info : machine.operations[1]) {
    if (info.name == "bcast") info.missing = "too old";
  }
  EXPECT_EQ(resolve_cells(campaign, machine, "c.toml").left_out.size(), 1U);
}

TEST(Presets, InACampaignAreReadAndWrittenBack) {
  const Campaign campaign = read_campaign(
      with_cells("[analysis]\npresets = [\"osu\", \"imb\"]\nmethod = \"osu\"\n"), "c");
  EXPECT_THAT(campaign.analysis.presets, ElementsAre("osu", "imb"));
  EXPECT_EQ(campaign.analysis.method, "osu");
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c"), campaign);
}

TEST(Presets, UnknownAndDoubledNamesAreFaultsOfTheFile) {
  EXPECT_THAT(campaign_faults(with_cells("[analysis]\npresets = [\"ous\", \"imb\", \"imb\"]\n")),
              ElementsAre("c.toml:8:12: there is no preset 'ous'; did you mean 'osu'?",
                          "c.toml:8:26: preset 'imb' stands twice; write it once"));
  EXPECT_THAT(campaign_faults(with_cells("[analysis]\npresets = \"osu\"\n")),
              ElementsAre(HasSubstr("is not a list; write presets = [\"osu\", \"imb\"]")));
}

TEST(Presets, OnTheCommandLineAreCheckedAsWell) {
  EXPECT_THAT(faults_of([] {
                (void)checked_presets({"ous", "imb", "imb"}, "--presets");
              }),
              ElementsAre("--presets: there is no preset 'ous'; did you mean 'osu'?",
                          "--presets: 'imb' is named twice; name every suite once"));
}

TEST(Presets, WhatExcludesThemIsSaid) {
  EXPECT_THAT(campaign_faults(with_cells("[engine]\nrecord = \"extent\"\n"
                                         "[analysis]\npresets = [\"osu\"]\n")),
              ElementsAre(HasSubstr("suites report what single ranks take")));
  EXPECT_THAT(campaign_faults(with_cells("[engine]\npinning = \"none\"\nsync = \"barrier\"\n"
                                         "[analysis]\npresets = [\"skampi\"]\n")),
              ElementsAre(HasSubstr("cannot keep skampi's windows")));
  for (const char* both : {"[\"core\", \"none\"]", "[\"none\", \"core\"]"}) {
    EXPECT_THAT(campaign_faults(with_cells("[engine]\npinning = " + std::string(both) +
                                           "\nsync = \"barrier\"\n"
                                           "[analysis]\npresets = [\"skampi\"]\n")),
                ElementsAre(HasSubstr("cannot keep skampi's windows")))
        << both;
  }
  EXPECT_THAT(campaign_faults(with_cells("[clock.virtual]\nskew = [1e-5]\n"
                                         "[analysis]\npresets = [\"imb\"]\n")),
              ElementsAre(HasSubstr("MPI_Wtime, which has no virtual clocks")));
}

// One gather of all ranks' ticks would take gigabytes.
TEST(Presets, SingleRanksOfLargeLaunchesAreKeptOnlyWhereThatIsAsked) {
  const auto campaign_of = [](std::uint32_t ranks, const std::string& preset,
                              const std::string& record) {
    Campaign campaign = with_presets({preset}, "bcast");
    campaign.cells[0].levels["ranks"] = {std::to_string(ranks)};
    campaign.engine.record = record;
    return campaign;
  };
  const auto cells_of = [](const Campaign& campaign) {
    return resolve_cells(campaign, surroundings(campaign.arms.size(), 1024), "c.toml");
  };
  const auto level_of_record = [&](const Campaign& campaign) {
    return record_level(campaign, cells_of(campaign));
  };
  EXPECT_EQ(level_of_record(campaign_of(256, "osu", "auto")), "per-rank");
  EXPECT_EQ(level_of_record(campaign_of(257, "osu", "per-rank")), "per-rank");
  EXPECT_EQ(level_of_record(campaign_of(257, "reprompi", "auto")), "auto")
      << "made of what all ranks take together";
  EXPECT_THAT(
      faults_of([&] { (void)cells_of(campaign_of(257, "osu", "auto")); }),
      ElementsAre(testing::AllOf(HasSubstr("which is not kept of 257 ranks unless it is asked for"),
                                 HasSubstr("write record = \"per-rank\" into [engine]"))));
}

// "auto" once kept them of launches of any size: whoever goes on with such a campaign has them on.
TEST(Presets, SingleRanksOfLargeLaunchesAreKeptOnWhereACampaignWasSealedWithThem) {
  const auto sealed_with = [](const std::string& preset) {
    Campaign campaign = with_presets({preset}, "bcast");
    campaign.cells[0].levels["ranks"] = {"257"};
    return read_sealed_campaign(campaign_toml(campaign), "c.toml");
  };
  const auto level_of_record = [](const Campaign& campaign) {
    return record_level(
        campaign, resolve_cells(campaign, surroundings(campaign.arms.size(), 1024), "c.toml"));
  };
  const Campaign osu = sealed_with("osu");
  EXPECT_EQ(osu.engine.record, "auto") << "its words are as they were";
  EXPECT_EQ(level_of_record(osu), "per-rank") << "though it would be refused today";
  EXPECT_EQ(level_of_record(sealed_with("reprompi")), "auto");
}

TEST(SuiteCampaign, KeepsSingleRanksWhereTheCampaignAsksForThem) {
  Campaign own = small_campaign(2, 1, 2);
  const auto record_of_suite = [&](const std::string& record) {
    own.engine.record = record;
    return suite_campaign(own, *find_preset("osu")).engine.record;
  };
  EXPECT_EQ(record_of_suite("per-rank"), "per-rank") << "also of large launches";
  EXPECT_EQ(record_of_suite("extent"), "auto");
  EXPECT_EQ(record_of_suite("auto"), "auto");
}

TEST(SizeInSuite, OfReduceScatterIsTheWholeVector) {
  const record::Cell cell{.size_bytes = 8, .ranks = 4};
  EXPECT_EQ(size_in_suite(cell, in_catalogue("reduce_scatter_block")), 32U);
  EXPECT_EQ(size_in_suite(cell, in_catalogue("allgather")), 8U);
  EXPECT_EQ(size_in_suite(cell, in_catalogue("allreduce")), 8U);
  record::OperationInfo own = in_catalogue("reduce_scatter");
  own.name = "ring_of_parts";
  EXPECT_EQ(size_in_suite(cell, own), 32U) << "whatever its name is";
}

// Campaigns of a suite's visits alone.

Campaign osu_alone(const std::string& operation, const std::string& suite = "osu") {
  Campaign own = with_presets({}, operation);
  own.cells.front().sizes_bytes = {8, 8192, 16384};
  return suite_campaign(own, *find_preset(suite));
}

record::Plan one_group(const Campaign& campaign) {
  Counters counters;
  return plan_groups(campaign, resolved(campaign), 1, counters);
}

TEST(SuiteCampaign, MeasuresNothingOfOursAndIsReadBackAsItWasWritten) {
  const Campaign campaign = osu_alone("bcast");
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c"), campaign);
  const record::Plan plan = one_group(campaign);
  ASSERT_EQ(plan.rows.size(), 2U * 3U) << "a visit an arm and cell";
  for (const record::PlanRow& row : plan.rows) EXPECT_EQ(plan.cells[row.cell].scheme, "barrier");
  EXPECT_EQ(plan.rows[0].launch, plan.rows[2].launch) << "one library after the other";
  EXPECT_NE(plan.rows[2].launch, plan.rows[3].launch);
}

TEST(SuiteCampaign, ALaunchMakesTheCallsOfARunOfTheSuite) {
  std::vector<std::uint32_t> osu;
  for (const record::PlanRow& row : one_group(osu_alone("bcast")).rows) {
    if (row.launch == 1) osu.push_back(row.repetitions);
  }
  EXPECT_THAT(osu, ElementsAre(1000, 1000, 100)) << "in the order written, fewer above 8 KiB";
  const record::Plan batches = one_group(osu_alone("bcast", "mpptest"));
  EXPECT_EQ(batches.rows.size(), 29U * 2U * 3U)
      << "-sample_reps 30 makes one pass over all cells less";
  EXPECT_EQ(batches.rows.front().calls, 50U);
  EXPECT_EQ(batches.rows.front().repetitions, 1U);
}

TEST(SuiteCampaign, CallsFollowTheSizeThatTheSuiteMeans) {
  const Preset& imb = *find_preset("imb");
  const record::OperationInfo bcast = in_catalogue("bcast");
  EXPECT_EQ(calls_of(imb, {.size_bytes = 1024}, bcast), 1000U);
  EXPECT_EQ(calls_of(imb, {.size_bytes = 1U << 20U}, bcast), 40U);
  EXPECT_EQ(calls_of(imb, {.size_bytes = 1U << 30U}, bcast), 1U) << "never none";
  const Preset& osu = *find_preset("osu");
  EXPECT_EQ(calls_of(osu, {.size_bytes = 8192, .ranks = 2}, in_catalogue("reduce_scatter")), 100U)
      << "the whole vector";
  EXPECT_EQ(calls_of(osu, {}, in_catalogue("barrier")), 1000U);
}

TEST(SuiteCampaign, OwnVisitsFalseNeedsOneSuiteAndLaunches) {
  EXPECT_THAT(campaign_faults(with_cells("[analysis]\nown-visits = false\npresets = [\"osu\"]\n")),
              testing::UnorderedElementsAre(HasSubstr("leaves nothing but the visits of one suite"),
                                            HasSubstr("write pairing = \"launches\"")));
  EXPECT_NO_THROW((void)read_campaign(
      with_cells("[engine]\npairing = \"launches\"\n[analysis]\nown-visits = false\n"
                 "method = \"osu\"\npresets = [\"osu\"]\n"),
      "c"));
}

TEST(SuiteCampaign, WhereTheSuiteCanMeasureNothingIsRefused) {
  Campaign campaign = osu_alone("bcast");
  campaign.engine.levels["cache"] = {"cold-flush"};
  EXPECT_THAT(faults_of([&] { (void)resolved(campaign); }),
              testing::Contains(HasSubstr("osu can measure none of these cells its way")));
}

}  // namespace
}  // namespace invar::design
