// What is refused before a sequential campaign begins, when looks come, and the plan after one.
#include "driver/decide/looks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "record/scheme.hpp"

namespace invar::driver {
namespace {

using testing::HasSubstr;

Prepared sequential(std::optional<double> budget_s) {
  Prepared prepared;
  prepared.place = "race";
  prepared.campaign.stopping = design::Stopping::kLooks;
  prepared.campaign.launches = design::kLookLaunches;
  prepared.campaign.budget_s = budget_s;
  prepared.campaign.rounds = 6;
  for (const char* label : {"a", "b"}) {
    prepared.campaign.arms.push_back({.label = label, .library = label});
    prepared.arms.push_back({.label = label});
    prepared.arms.back().profile.startup_s = 1;
  }
  for (std::uint32_t id = 0; id < 3; ++id) {
    prepared.cells.cells.push_back({.id = id, .operation = "bcast", .size_bytes = 8U << id});
    prepared.cells.arms.push_back({0, 1});
  }
  return prepared;
}

TEST(BudgetOfALook, TooShortIsRefusedWithOneThatWouldDo) {
  try {
    check_budget_for_a_look(sequential(2));
    FAIL() << "a look needs three groups";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("needs 3 launch groups"));
    EXPECT_THAT(error.what(), HasSubstr("the budget is 2.0 s"));
    EXPECT_THAT(error.what(), HasSubstr("take a budget of "));
  }
  EXPECT_NO_THROW(check_budget_for_a_look(sequential(60)));
  EXPECT_NO_THROW(check_budget_for_a_look(sequential({})));
}

TEST(BudgetOfALeastNumberOfGroups, TooShortIsRefusedWithOneThatWouldDo) {
  Prepared fixed = sequential(1);
  fixed.campaign.stopping = design::Stopping::kFixed;
  fixed.campaign.launches = {.min = 3, .max = 60};
  const double least_s = least_seconds(fixed);
  EXPECT_GT(least_s, 3) << "three groups with start-ups of a second";
  try {
    check_budget_for_least(fixed);
    FAIL() << "an answer needs three groups";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("race: an answer needs 3 launch groups, about "));
    EXPECT_THAT(error.what(), HasSubstr("the budget is 1.0 s; take a budget of "));
  }
  fixed.campaign.budget_s = 0.49 * least_s;
  EXPECT_THROW(check_budget_for_least(fixed), base::UserError);
  EXPECT_NO_THROW(check_budget_for_a_look(fixed)) << "it has no looks";
  fixed.campaign.budget_s = 0.51 * least_s;
  EXPECT_NO_THROW(check_budget_for_least(fixed));
  fixed.campaign.budget_s = {};
  EXPECT_NO_THROW(check_budget_for_least(fixed));
  fixed.campaign.budget_s = 1;
  fixed.campaign.arms[0].program.command = "app";
  EXPECT_NO_THROW(check_budget_for_least(fixed)) << "nobody knows what a program takes";
  EXPECT_THROW(check_budget_for_least(sequential(2)), base::UserError);
}

TEST(NextLook, ComesAfterThreeThenFiveGroupsAndOneLaterWithBatches) {
  Prepared prepared = sequential({});
  store::State state;
  EXPECT_EQ(next_look_at(prepared, state), 3U);
  state.looks = {{.look = 1}};
  EXPECT_EQ(next_look_at(prepared, state), 5U);
  state.batches = record::Calls{{0, 100}};
  EXPECT_EQ(next_look_at(prepared, state), 6U);
  prepared.campaign.launches.max = 4;
  EXPECT_FALSE(next_look_at(prepared, state).has_value()) << "no look beyond the largest number";
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

TEST(WithOtherSuites, TheirVisitsGoWithTheLastOfTheirCells) {
  // Cells 0 and 1 differ in what their suite's visits do not have: synchronisation.
  design::ResolvedCells resolved;
  const record::Cell first{.id = 0, .operation = "bcast", .size_bytes = 8, .sync = "round-time"};
  const record::Cell second{.id = 1, .operation = "bcast", .size_bytes = 8, .sync = "window"};
  resolved.cells = {first, second};
  for (const char* name : {"barrier", "batch-rotating"}) {
    resolved.cells.push_back(*cell_by_scheme(first, *record::find_scheme(name), true));
    resolved.cells.back().id = static_cast<std::uint32_t>(resolved.cells.size() - 1);
  }
  resolved.arms.assign(4, {0, 1});
  using Visits = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(with_other_suites(resolved, {{0, 0}, {0, 1}}), (Visits{{0, 0}, {0, 1}}))
      << "cell 1 still asks for them";
  EXPECT_EQ(with_other_suites(resolved, {{0, 0}, {1, 0}, {1, 1}}),
            (Visits{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 0}}))
      << "the second arm's cell 0 still asks for them";
}

}  // namespace
}  // namespace invar::driver
