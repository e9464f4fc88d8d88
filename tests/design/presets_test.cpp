// Visits of their own for other suites' ways of measuring.
#include "design/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "design/helpers.hpp"

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
  // osu, mpiblib: one way of measuring; imb's root moves.
  EXPECT_THAT(schemes(resolved(with_presets({"mpiblib", "imb", "osu"}, "bcast"))),
              ElementsAre("invar", "barrier", "barrier-rotating rotating"));
  EXPECT_THAT(schemes(resolved(with_presets({"imb", "osu"}, "allgather"))),
              ElementsAre("invar", "barrier"))
      << "without a root imb measures as osu does";
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
              ElementsAre(HasSubstr("is no list; write presets = [\"osu\", \"imb\"]")));
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
  EXPECT_THAT(campaign_faults(with_cells("[clock.virtual]\nskew = [1e-5]\n"
                                         "[analysis]\npresets = [\"imb\"]\n")),
              ElementsAre(HasSubstr("MPI_Wtime, which has no virtual clocks")));
}

TEST(SizeInSuite, OfReduceScatterIsTheWholeVector) {
  EXPECT_EQ(size_in_suite({.operation = "reduce_scatter_block", .size_bytes = 8, .ranks = 4}), 32U);
  EXPECT_EQ(size_in_suite({.operation = "allgather", .size_bytes = 8, .ranks = 4}), 8U);
}

}  // namespace
}  // namespace invar::design
