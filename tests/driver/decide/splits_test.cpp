// Splits: the pilot group chooses into how many calls, and judges none of them.
#include "driver/decide/splits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "analysis/guidelines/guidelines.hpp"
#include "driver/decide/driven_campaign.hpp"
#include "driver/decide/groups.hpp"
#include "driver/decide/plans.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

using store::NotJudging;
using test::Planted;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint32_t kJudgingGroups = 4;
// Cells, by their numbers.
constexpr std::uint32_t kOneCall = 0;
constexpr std::uint32_t kIn2 = 1;
constexpr std::uint32_t kIn4 = 2;
constexpr std::uint32_t kIn8 = 3;
constexpr std::uint32_t kOfPatternLeft = 4;
constexpr std::uint32_t kOfPatternRight = 5;

constexpr const char* kRules = R"toml(question = "guidelines"
runtime = "local"

[[family]]
name = "s-8"
cells = [{ operation = "bcast" }, { operation = "bcast=2-parts" }, { operation = "bcast=4-parts" },
         { operation = "bcast=8-parts" }]
[[family]]
name = "g-8"
cells = [{ operation = "gather" }, { operation = "allgather" }]
[[guideline]]
rule = "s: split(bcast)"
families = ["s-8"]
[[guideline]]
rule = "g: gather(n) <= allgather(n)"
families = ["g-8"]
)toml";

// A split and a pattern of one size, arms alpha and beta. All calls take 1 us but that the pilot
// group was lucky: in alpha with 8 parts, in beta with 2.
Planted with_split() {
  Planted planted{.written = {.groups = kJudgingGroups, .cell_sd = 0.005, .noise_sd = 0.01}};
  synthetic::Options& written = planted.written;
  written.cells.clear();
  const auto add = [&](const char* operation, const char* family, std::uint32_t parts) {
    record::Cell& cell = written.cells.emplace_back();
    cell.id = static_cast<std::uint32_t>(written.cells.size() - 1);
    cell.operation = operation;
    cell.size_bytes = 8;
    cell.datatype = "byte";
    cell.family = family;
    written.operations.push_back({.name = operation, .splits = parts});
  };
  add("bcast", "s-8", 0);
  add("bcast=2-parts", "s-8", 2);
  add("bcast=4-parts", "s-8", 4);
  add("bcast=8-parts", "s-8", 8);
  add("gather", "g-8", 0);
  add("allgather", "g-8", 0);
  written.toml = synthetic::campaign_toml(written) + kRules;
  planted.time_ns = [](const std::string& arm, std::size_t cell, std::uint32_t group) {
    const bool lucky = group == 1 && cell == (arm == "alpha" ? kIn8 : kIn2);
    return lucky ? 500.0 : 1000.0;
  };
  return planted;
}

// Cells of an arm in a group of the plan.
std::set<std::uint32_t> planned_cells(const store::State& state, std::uint32_t group,
                                      const std::string& arm) {
  std::set<std::uint32_t> cells;
  for (const record::PlanRow& row : plan_of(state, group).rows) {
    if (row.group == group && row.arm == arm) cells.insert(row.cell);
  }
  return cells;
}

// The data of a campaign's pilot group.
store::Data pilot_data(const store::TestDir& scratch, const Planted& planted) {
  store::CampaignDir dir = test::begin_planted(scratch / "pilot", planted);
  test::measure_planted(dir, planted, 1);
  return store::read_campaign_dir(dir.path());
}

constexpr double kPilotSeconds = 2;

// What a pilot group decides. `spent_s`: what a group is said to take.
Step step_from(const Prepared& campaign, const Planted& planted, const store::Data& pilot,
               double spent_s = kPilotSeconds) {
  const store::State state{.plans = {synthetic::make_plan(planted.written)},
                           .groups = {{.group = 1, .complete = true, .seconds = kPilotSeconds}}};
  const std::set<std::uint32_t> finished{1};
  return decide_splits({.prepared = campaign,
                        .state = state,
                        .finished = finished,
                        .groups_complete = 1,
                        .spent = {.group_s = spent_s},
                        .measured = [&]() -> const store::Data& { return pilot; }});
}

store::DecidedLine decided_from(const Prepared& campaign, const Planted& planted,
                                const store::Data& pilot) {
  return std::get<store::DecidedLine>(step_from(campaign, planted, pilot).line);
}

TEST(Splits, PilotChoosesInEveryArmAndTheRestIsMeasuredNoMore) {
  const store::TestDir scratch;
  const Planted planted = with_split();
  store::CampaignDir dir = test::begin_planted(scratch / "c", planted);
  test::drive_planted(dir, planted);
  ASSERT_THAT(dir.state().decided, SizeIs(1));
  const store::DecidedLine& decided = dir.state().decided[0];
  EXPECT_EQ(decided.decision, "splits");
  EXPECT_THAT(decided.why, HasSubstr("bcast=8-parts"));
  EXPECT_THAT(decided.why, HasSubstr("(alpha)"));
  EXPECT_THAT(decided.why, HasSubstr("bcast=2-parts"));
  EXPECT_THAT(decided.why, HasSubstr("(beta)"));
  EXPECT_THAT(decided.not_judging,
              ElementsAre(NotJudging{.groups = {1}, .cells = {kOneCall, kIn8}, .arms = {"alpha"}},
                          NotJudging{.cells = {kIn2, kIn4}, .arms = {"alpha"}},
                          NotJudging{.groups = {1}, .cells = {kOneCall, kIn2}, .arms = {"beta"}},
                          NotJudging{.cells = {kIn4, kIn8}, .arms = {"beta"}}));
  EXPECT_THAT(decided.fields,
              HasSubstr("\"arm\":\"alpha\",\"chosen\":3,\"medians\":[{\"cell\":1,"));
  EXPECT_THAT(planned_cells(dir.state(), 1, "alpha"), SizeIs(6));
  for (std::uint32_t group = 2; group <= last_planned(dir.state()); ++group) {
    EXPECT_THAT(planned_cells(dir.state(), group, "alpha"),
                ElementsAre(kOneCall, kIn8, kOfPatternLeft, kOfPatternRight));
    EXPECT_THAT(planned_cells(dir.state(), group, "beta"),
                ElementsAre(kOneCall, kIn2, kOfPatternLeft, kOfPatternRight));
  }
  EXPECT_EQ(spare_groups(dir.state()), 1U);
  EXPECT_EQ(last_planned(dir.state()), kJudgingGroups + 1) << "the pilot's place is filled";
  EXPECT_EQ(store::verify_campaign_dir(scratch / "c").status(), base::Exit::kDone);
}

// The best of several is too good where it was chosen: there it takes half as long as the call.
TEST(Splits, WhatThePilotSawOfThemIsNoEvidence) {
  const store::TestDir scratch;
  const Planted planted = with_split();
  {
    store::CampaignDir dir = test::begin_planted(scratch / "c", planted);
    test::drive_planted(dir, planted);
  }
  const analysis::Study study(store::read_campaign_dir(scratch / "c"));
  const analysis::Guidelines found = analysis::guidelines(study);
  ASSERT_THAT(found.rows, SizeIs(4)) << "two rules, two arms";
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    SCOPED_TRACE(i);
    const analysis::GuidelineRow& row = found.rows[i];
    const bool split = i < 2;
    ASSERT_TRUE(row.sides);
    EXPECT_EQ(row.sides->launches, split ? kJudgingGroups : kJudgingGroups + 1);
    EXPECT_NEAR(row.sides->ratio.value(), 1.0, 0.05) << "the mean with the pilot is 1.15";
  }
  EXPECT_EQ(found.rows[0].calls, 8U);
  EXPECT_EQ(found.rows[0].sides->cell_a->operation, "bcast=8-parts");
  EXPECT_EQ(found.rows[1].calls, 2U);
  EXPECT_EQ(found.rows[1].sides->cell_a->operation, "bcast=2-parts");
  EXPECT_TRUE(found.splits_chosen);
}

TEST(Splits, AreTheSameFromWhereverADriverWasKilled) {
  const store::TestDir scratch;
  const Planted planted = with_split();
  {
    store::CampaignDir dir = test::begin_planted(scratch / "c", planted);
    test::drive_planted(dir, planted);
  }
  ASSERT_THAT(test::in_force(scratch / "c"), SizeIs(3)) << "two plans, one decision";
  test::expect_same_wherever_killed(scratch / "c", scratch / "killed", planted);
}

TEST(Splits, OfEqualOnesTheFewestCallsAreChosen) {
  const store::TestDir scratch;
  Planted planted = with_split();
  planted.time_ns = [](const std::string&, std::size_t, std::uint32_t) { return 1000.0; };
  planted.written.group_sd = planted.written.launch_sd = 0;
  planted.written.cell_sd = planted.written.noise_sd = 0;
  const store::DecidedLine line =
      decided_from(test::campaign_of(planted.written), planted, pilot_data(scratch, planted));
  ASSERT_THAT(line.not_judging, SizeIs(4));
  EXPECT_THAT(line.not_judging[0].cells, ElementsAre(kOneCall, kIn2));
  EXPECT_THAT(line.not_judging[2].cells, ElementsAre(kOneCall, kIn2));
}

TEST(Splits, OneThatFailedIsNotChosenHoweverLittleTimeItTook) {
  const store::TestDir scratch;
  const Planted planted = with_split();
  store::Data pilot = pilot_data(scratch, planted);
  pilot.failed_cells.push_back({.cell = kIn8, .arm = "alpha", .reason = "wrong result"});
  const store::DecidedLine line = decided_from(test::campaign_of(planted.written), planted, pilot);
  ASSERT_THAT(line.not_judging, SizeIs(4));
  EXPECT_THAT(line.not_judging[1].cells, Contains(kIn8));
}

TEST(Splits, ArmThatHasOneNumberOfCallsHasNothingToChoose) {
  const store::TestDir scratch;
  const Planted planted = with_split();
  Prepared campaign = test::campaign_of(planted.written);
  campaign.cells.arms[kIn4] = {0};
  campaign.cells.arms[kIn8] = {0};
  const store::DecidedLine line = decided_from(campaign, planted, pilot_data(scratch, planted));
  ASSERT_THAT(line.not_judging, SizeIs(2));
  for (const NotJudging& some : line.not_judging) {
    EXPECT_THAT(some.arms, ElementsAre("alpha")) << "of beta the pilot judges";
  }
}

// A decision before this one may expect shorter groups than the pilot, whose start-up takes as long
// as it took.
TEST(Splits, WhatAGroupTakesFollowsFromWhatThePilotTook) {
  const store::TestDir scratch;
  const Planted planted = with_split();
  const Prepared campaign = test::campaign_of(planted.written);
  const store::Data pilot = pilot_data(scratch, planted);
  const double group_s = step_from(campaign, planted, pilot).group_s;
  EXPECT_GT(group_s, 0);
  EXPECT_LT(group_s, kPilotSeconds) << "without what was not chosen";
  EXPECT_DOUBLE_EQ(step_from(campaign, planted, pilot, kPilotSeconds / 1000).group_s, group_s);
}

// Before anything is measured: the first group chooses, a group takes its place.
TEST(Splits, AreEstimatedAllInTheFirstGroupAndOneOfThemInTheOthers) {
  Prepared campaign = test::campaign_of(with_split().written);
  campaign.campaign.launches = {.min = 3, .max = 3};
  design::Operations operations;
  for (const record::Cell& cell : campaign.cells.cells) {
    operations.emplace(cell.operation, record::OperationInfo{.name = cell.operation});
  }
  campaign.cells.operations.assign(2, operations);
  const GroupEstimates groups = estimate_groups(campaign);
  const std::uint64_t visits = std::uint64_t{campaign.campaign.rounds} * 2;  // of a cell
  EXPECT_EQ(groups.first.visits, 6 * visits);
  EXPECT_EQ(groups.next.visits, 4 * visits);
  EXPECT_EQ(with_choosing_pilot(campaign, 3), 4U);
  EXPECT_DOUBLE_EQ(least_seconds(campaign), groups.first.seconds + 3 * groups.next.seconds);
  campaign.campaign.analysis.question = design::Question::kCompare;
  EXPECT_EQ(with_choosing_pilot(campaign, 3), 3U);
  EXPECT_DOUBLE_EQ(least_seconds(campaign), 3 * groups.first.seconds) << "nothing is chosen";
}

TEST(Splits, RightSideThatIsNamedTwiceIsOneToChooseFrom) {
  Prepared campaign = test::campaign_of(with_split().written);
  std::vector<design::CellsBlock>& cells = campaign.campaign.families.front().cells;
  cells = {cells[0], cells[1], cells[1], cells[0]};
  EXPECT_FALSE(chooses_splits(campaign));
}

TEST(Splits, OfAGivenPlanAreAllMeasured) {
  const Prepared campaign = test::campaign_of(with_split().written);
  const store::State state{.groups = {{.group = 1, .complete = true}}, .decided = {given_splits()}};
  const std::set<std::uint32_t> finished{1};
  const auto measured = []() -> const store::Data& {
    throw std::logic_error("there is nothing to look at");
  };
  const Step step = decide_splits({.prepared = campaign,
                                   .state = state,
                                   .finished = finished,
                                   .groups_complete = 1,
                                   .measured = measured});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(step.line));
  EXPECT_THAT(not_chosen(campaign, state), IsEmpty());
}

TEST(Splits, AreChosenWhereAGuidelineHasSeveralRightSides) {
  Prepared campaign = test::campaign_of(with_split().written);
  EXPECT_TRUE(chooses_splits(campaign));
  campaign.campaign.families.front().cells.resize(2);
  EXPECT_FALSE(chooses_splits(campaign)) << "a number that the user fixed";
  campaign = test::campaign_of(with_split().written);
  campaign.campaign.analysis.question = design::Question::kCompare;
  EXPECT_FALSE(chooses_splits(campaign)) << "arms are compared in all cells";
  campaign = test::campaign_of(with_split().written);
  for (const std::uint32_t cell : {kIn4, kIn8}) campaign.cells.arms[cell].clear();
  EXPECT_FALSE(chooses_splits(campaign)) << "no arm has another number of calls";
}

}  // namespace
}  // namespace invar::driver
