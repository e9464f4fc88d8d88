// What a user is told of a budget that the groups asked for will not keep.
#include "driver/decide/decisions.hpp"

#include <gtest/gtest.h>

namespace invar::driver {
namespace {

Prepared with_budget(std::optional<double> budget_s, design::Launches launches) {
  Prepared prepared;
  prepared.campaign.budget_s = budget_s;
  prepared.campaign.launches = launches;
  return prepared;
}

TEST(OverBudget, IsToldWithItsAmountAfterThePilot) {
  const Prepared prepared = with_budget(60, {.min = 3, .max = 3});
  const Spent spent{.groups_done = 1, .elapsed_s = 100, .group_s = 95};
  EXPECT_EQ(over_budget_text(prepared, {}, spent, 95),
            "the 3 groups asked for will take about 4 min 50 s, 3 min 50 s beyond "
            "the budget of 60 s");
}

TEST(OverBudget, CountsTheGroupThatBatchesAdd) {
  const Prepared prepared = with_budget(60, {.min = 3, .max = 3});
  store::State state;
  state.batches = record::Calls{{0, 100}};
  const Spent spent{.groups_done = 1, .elapsed_s = 100, .group_s = 95};
  const std::string text = over_budget_text(prepared, state, spent, 200);
  EXPECT_NE(text.find("the 4 groups asked for (one more than in the campaign"), std::string::npos)
      << text;
  EXPECT_NE(text.find("about 11 min 40 s"), std::string::npos) << text;
}

TEST(OverBudget, SaysNothingWhereTheBudgetHoldsOrThereIsNone) {
  const Spent spent{.groups_done = 1, .elapsed_s = 20, .group_s = 20};
  EXPECT_EQ(over_budget_text(with_budget(60, {.min = 3, .max = 3}), {}, spent, 20), "");
  EXPECT_EQ(over_budget_text(with_budget({}, {.min = 3, .max = 3}), {}, spent, 1000), "");
  const Spent done{.groups_done = 3, .elapsed_s = 500, .group_s = 160};
  EXPECT_EQ(over_budget_text(with_budget(60, {.min = 3, .max = 60}), {}, done, 160), "")
      << "what was asked for is there";
}

TEST(RepeatedWarning, IsToldWithTheNumberOfItsGroups) {
  EXPECT_EQ(repeated_text("'a' did not end", 7, 12), "in 7 of 12 groups: 'a' did not end");
}

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

}  // namespace
}  // namespace invar::driver
