// What is refused before a campaign begins because its budget is too short, and what a user is told
// of a budget that the groups asked for will not keep.
#include "driver/decide/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "driver/decide/sequential_campaign.hpp"

namespace invar::driver {
namespace {

using test::sequential;
using testing::HasSubstr;

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

TEST(OverBudget, CountsGroupsInThePlaceOfThoseThatDoNotJudge) {
  const Prepared prepared = with_budget(60, {.min = 3, .max = 3});
  store::State state;
  state.groups = {{.group = 1, .complete = true}, {.group = 2, .complete = true}};
  state.decided = {{.not_judging = {{.groups = {1, 2}, .cells = {0}}, {.groups = {2}}}}};
  const Spent spent{.groups_done = 2, .elapsed_s = 100, .group_s = 95};
  const std::string text = over_budget_text(prepared, state, spent, 95);
  EXPECT_THAT(text, HasSubstr("the 5 groups asked for (2 more than in the campaign, in the place"));
  state.batches = record::Calls{{0, 100}};
  EXPECT_EQ(over_budget_text(prepared, state, spent, 95), text)
      << "the pilot, whose calls were too short, is one of them";
}

TEST(OverBudget, SaysNothingWhereTheBudgetHoldsOrThereIsNone) {
  const Spent spent{.groups_done = 1, .elapsed_s = 20, .group_s = 20};
  EXPECT_EQ(over_budget_text(with_budget(60, {.min = 3, .max = 3}), {}, spent, 20), "");
  EXPECT_EQ(over_budget_text(with_budget({}, {.min = 3, .max = 3}), {}, spent, 1000), "");
  const Spent done{.groups_done = 3, .elapsed_s = 500, .group_s = 160};
  EXPECT_EQ(over_budget_text(with_budget(60, {.min = 3, .max = 60}), {}, done, 160), "")
      << "what was asked for is there";
}

}  // namespace
}  // namespace invar::driver
