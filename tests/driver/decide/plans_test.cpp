// The plan of the groups to come.
#include "driver/decide/plans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "driver/decide/sequential_campaign.hpp"

namespace invar::driver {
namespace {

// Two sizes that are compared, and one alone.
Prepared with_family() {
  Prepared prepared;
  prepared.campaign.rounds = 2;
  prepared.campaign.arms = {{.label = "a", .library = "a"}};
  for (const std::uint32_t id : {0U, 1U, 2U}) {
    prepared.cells.cells.push_back({.id = id, .operation = "bcast", .size_bytes = 8U << id});
    prepared.cells.arms.push_back({0});
  }
  for (const std::uint32_t id : {0U, 1U}) prepared.cells.cells[id].family = "together-1";
  return prepared;
}

TEST(PlanAfter, CellsOfAFamilyHaveEquallyManyRepetitions) {
  const record::Plan plan =
      plan_after(with_family(), {}, 3, {.groups = 1, .repetitions = {{0, 20}, {2, 30}}});
  EXPECT_FALSE(plan.rows.empty());
  for (const record::PlanRow& row : plan.rows) {
    EXPECT_EQ(row.repetitions, row.cell == 2 ? 30U : 50U) << "cell 1 needs the campaign's 50";
  }
}

TEST(PlanAfter, OfACampaignThatAnEarlierVersionBeganHasNoFamilies) {
  const Prepared prepared = with_family();
  store::State state;
  state.plans.push_back(plan_after(prepared, {}, 0, {.groups = 1}));
  EXPECT_EQ(plan_after(prepared, state, 1, {.groups = 1}).cells[0].family, "together-1");
  for (record::Cell& cell : state.plans[0].cells) cell.family.clear();
  EXPECT_EQ(plan_after(prepared, state, 1, {.groups = 1}).cells[0].family, "");
}

TEST(PlanAfter, CellsThatADecisionAddedKeepTheirFamilyWhateverTheFirstPlanHad) {
  Prepared prepared = with_family();
  for (record::Cell& cell : prepared.cells.cells) cell.family.clear();
  store::State state;
  state.plans.push_back(plan_after(prepared, {}, 0, {.groups = 1}));
  for (const std::uint32_t id : {3U, 4U}) {
    prepared.cells.cells.push_back(
        {.id = id, .operation = "bcast", .size_bytes = 8U << id, .family = "step-1"});
    prepared.cells.arms.push_back({0});
  }
  const record::Plan plan = plan_after(prepared, state, 1, {.groups = 1});
  EXPECT_EQ(plan.cells[0].family, "");
  EXPECT_EQ(plan.cells[3].family, "step-1");
  EXPECT_EQ(plan.cells[4].family, "step-1");
}

// A suite says how many calls a batch of its own has, and so may what was decided of that one.
TEST(PlanAfter, ASuitesBatchIsAsLongAsTheSuiteMakesItUnlessItWasDecided) {
  Prepared prepared = with_family();
  for (record::Cell& cell : prepared.cells.cells) {
    cell.family.clear();
    cell.scheme = cell.id == 0 ? "batch-initiator" : "batch";
  }
  store::State state;
  state.batches = record::Calls{{0, 800}};
  const record::Plan plan =
      plan_after(prepared, state, 1, {.groups = 1, .repetitions = {{0, 20}, {1, 20}}});
  std::set<std::uint32_t> rounds;
  for (const record::PlanRow& row : plan.rows) {
    EXPECT_EQ(row.calls, row.cell == 0 ? 800U : 50U);
    EXPECT_EQ(row.repetitions, 1U) << "one batch a visit, whatever our own visits need";
    if (row.cell == 0) rounds.insert(row.round);
  }
  EXPECT_EQ(rounds.size(), 2U + 4U);
}

using test::sequential;

TEST(PlanAfter, LeavesOutWhatADecisionDidNotChooseInTheArmsThatItWasAbout) {
  const Prepared prepared = sequential({});
  store::State state;
  state.decided = {{.decision = "some",
                    .not_judging = {{.cells = {1}, .arms = {"b"}}, {.groups = {1}, .cells = {0}}}}};
  EXPECT_THAT(not_chosen(prepared, state), testing::ElementsAre(record::ArmCell{1, 1}));
  std::set<std::pair<std::uint32_t, std::string>> planned;
  for (const record::PlanRow& row :
       plan_after(prepared, state, 1, {.groups = 1, .dropped = {{2, 0}}}).rows) {
    planned.emplace(row.cell, row.arm);
  }
  EXPECT_THAT(planned, testing::ElementsAre(testing::Pair(0, "a"), testing::Pair(0, "b"),
                                            testing::Pair(1, "a"), testing::Pair(2, "b")));
}

TEST(PlanAfter, LeavesOutWhatIsDecidedAndGoesOnCounting) {
  const Prepared prepared = sequential({});
  store::State state;
  design::Counters counters;
  state.plans = {design::plan_groups(prepared.campaign, prepared.cells, 3, counters)};
  const record::Plan plan =
      plan_after(prepared, state, 3,
                 {.groups = 2, .dropped = {{1, 0}, {1, 1}}, .rounds = 4, .repetitions = {{0, 17}}});
  std::set<std::uint32_t> cells;
  std::set<std::uint32_t> groups;
  for (const record::PlanRow& row : plan.rows) {
    cells.insert(row.cell);
    groups.insert(row.group);
    EXPECT_LT(row.round, 4U);
    EXPECT_EQ(row.repetitions, row.cell == 0 ? 17U : prepared.campaign.repetitions);
  }
  EXPECT_EQ(cells, (std::set<std::uint32_t>{0, 2}));
  EXPECT_EQ(groups, (std::set<std::uint32_t>{4, 5}));
  EXPECT_EQ(plan.rows.front().launch, 7U);
  EXPECT_EQ(plan.rows.size(), 2U * 4 * 2 * 2);
}

TEST(PlanAfter, MeasuresDisturbedBlocksOnceMoreInTheFirstGroup) {
  const Prepared prepared = sequential({});
  store::State state;
  design::Counters counters;
  state.plans = {design::plan_groups(prepared.campaign, prepared.cells, 3, counters)};
  const record::Plan plan =
      plan_after(prepared, state, 3, {.groups = 2, .rounds = 4, .repeated = {2, 2}});
  std::size_t extra = 0;
  std::set<std::uint32_t> rounds;
  for (const record::PlanRow& row : plan.rows) {
    if (row.round < 4) continue;
    EXPECT_EQ(row.group, 4U);
    EXPECT_EQ(row.cell, 2U);
    rounds.insert(row.round);
    ++extra;
  }
  EXPECT_EQ(extra, 2U * 2) << "two blocks of two arms";
  EXPECT_EQ(rounds, (std::set<std::uint32_t>{4, 5})) << "a cell has at most one block a round";
}

// Launch groups with parts of random sizes.
Prepared with_parts() {
  Prepared prepared;
  prepared.campaign = design::read_campaign(R"(
schema = 1
name = "parts"
seed = 3
[design]
launches = { min = 25, max = 60 }
rounds = 1
repetitions = 5
[[cells]]
operation = "bcast"
ranks = 2
size = { loguniform = [1, 65536], count = 60, per-launch = 12 }
[[arm]]
library = "openmpi"
label = "openmpi"
)",
                                            "c.toml");
  prepared.cells = design::resolve_cells(
      prepared.campaign, {.operations = {{{.name = "bcast", .datatypes = {{.name = "byte"}}}}}},
      "c.toml");
  return prepared;
}

std::set<std::uint32_t> cells_of(const record::Plan& plan, std::uint32_t group) {
  std::set<std::uint32_t> cells;
  for (const record::PlanRow& row : plan.rows) {
    if (row.group == group) cells.insert(row.cell);
  }
  return cells;
}

TEST(PlanAfter, GoesOnWithThePartsOfRandomSizes) {
  const Prepared prepared = with_parts();
  store::State state;
  const record::Plan whole = plan_after(prepared, state, 0, {.groups = 9});
  state.plans.push_back(plan_after(prepared, state, 0, {.groups = 4}));
  const record::Plan later = plan_after(prepared, state, 4, {.groups = 5});
  for (std::uint32_t group = 5; group <= 9; ++group) {
    EXPECT_EQ(cells_of(later, group), cells_of(whole, group));
  }
  EXPECT_NE(cells_of(whole, 1), cells_of(whole, 2));
}

// The pilot of cells that are timed in batches is not evidence: the next group has its sizes.
TEST(PlanAfter, AGroupThatDoesNotCountTakesNoPartAway) {
  const Prepared prepared = with_parts();
  store::State state;
  const record::Plan first = plan_after(prepared, state, 0, {.groups = 25});
  state.plans.push_back(first);
  state.groups = {{.group = 1, .complete = true}};
  state.batches = record::Calls{{*cells_of(first, 1).begin(), 10}};
  const record::Plan batched = plan_after(prepared, state, 1, {.groups = 25});
  for (std::uint32_t group = 1; group <= 25; ++group) {
    EXPECT_EQ(cells_of(batched, group + 1), cells_of(first, group));
  }
  // Groups beyond follow on these.
  state.plans.push_back(batched);
  const record::Plan more = plan_after(prepared, state, 26, {.groups = 1});
  EXPECT_EQ(cells_of(more, 27), cells_of(plan_after(prepared, {}, 0, {.groups = 26}), 26));
}

}  // namespace
}  // namespace invar::driver
