// What is refused before a campaign begins because its budget is too short, when it ends because of
// its budget, and what a user is told of that.
#include "driver/decide/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"
#include "driver/decide/sequential_campaign.hpp"

namespace invar::driver {
namespace {

using test::sequential;
using testing::HasSubstr;

TEST(BudgetOfALook, TooShortIsRefusedWithOneThatWouldDo) {
  try {
    check_budget_for_a_look(sequential(0.5));
    FAIL() << "a look needs three groups";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("needs 3 launch groups"));
    EXPECT_THAT(error.what(), HasSubstr("the budget is 0.5 s"));
    EXPECT_THAT(error.what(), HasSubstr("take a budget of "));
  }
  EXPECT_NO_THROW(check_budget_for_a_look(sequential(60)));
  EXPECT_NO_THROW(check_budget_for_a_look(sequential(2)))
      << "longer than start-ups, which were perhaps measured on a busy machine";
  EXPECT_NO_THROW(check_budget_for_a_look(sequential({})));
}

TEST(BudgetOfALeastNumberOfGroups, TooShortIsRefusedWithOneThatWouldDo) {
  Prepared fixed = sequential(0.5);
  fixed.campaign.stopping = design::Stopping::kFixed;
  fixed.campaign.launches = {.min = 3, .max = 60};
  const double least_s = least_seconds(fixed);
  EXPECT_GT(least_s, 3) << "three groups with start-ups of a second";
  try {
    check_budget_for_least(fixed);
    FAIL() << "an answer needs three groups";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("race: an answer needs 3 launch groups, about "));
    EXPECT_THAT(error.what(), HasSubstr("the budget is 0.5 s; take a budget of "));
  }
  EXPECT_NO_THROW(check_budget_for_a_look(fixed)) << "it has no looks";
  fixed.campaign.budget_s = 1;
  EXPECT_NO_THROW(check_budget_for_least(fixed)) << "an estimate refuses nothing";
  fixed.campaign.budget_s = {};
  EXPECT_NO_THROW(check_budget_for_least(fixed));
  fixed.campaign.budget_s = 0.5;
  fixed.campaign.arms[0].program.command = "app";
  EXPECT_NO_THROW(check_budget_for_least(fixed)) << "nobody knows what a program takes";
  EXPECT_THROW(check_budget_for_least(sequential(0.5)), base::UserError);
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
            "the 3 groups asked for would take about 4 min 50 s, and the budget is 60 s: what ends "
            "in time is measured");
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

TEST(OverBudget, PilotThatChoseIsNoMatterOfTheBatchesThatItBrought) {
  const Prepared prepared = with_budget(60, {.min = 3, .max = 3});
  store::State state;
  state.groups = {{.group = 1, .complete = true}};
  state.decided = {{.not_judging = {{.groups = {1}, .cells = {0}}, {.cells = {1}}}}};
  state.batches = record::Calls{{5, 100}};
  EXPECT_THAT(
      over_budget_text(prepared, state, {.groups_done = 1, .elapsed_s = 100, .group_s = 95}, 95),
      HasSubstr("4 groups asked for (one more than in the campaign, in the place of one that does "
                "not judge)"));
}

TEST(OverBudget, SaysNothingWhereTheBudgetHoldsOrThereIsNone) {
  const Spent spent{.groups_done = 1, .elapsed_s = 20, .group_s = 20};
  EXPECT_EQ(over_budget_text(with_budget(60, {.min = 3, .max = 3}), {}, spent, 20), "");
  EXPECT_EQ(over_budget_text(with_budget({}, {.min = 3, .max = 3}), {}, spent, 1000), "");
  const Spent done{.groups_done = 3, .elapsed_s = 500, .group_s = 160};
  EXPECT_EQ(over_budget_text(with_budget(60, {.min = 3, .max = 60}), {}, done, 160), "")
      << "what was asked for is there";
}

// `done` of six planned groups are done.
std::string budget_over(Spent spent, std::uint32_t done = 3) {
  const Prepared prepared = with_budget(60, {.min = 6, .max = 6});
  store::State state;
  state.plans.emplace_back();
  for (std::uint32_t group = 1; group <= 6; ++group) {
    state.plans.back().rows.push_back({.group = group});
  }
  spent.groups_done = done;
  return budget_over_text(prepared, state, spent);
}

TEST(BudgetOver, GroupThatWouldNotEndInTimeIsNotBegun) {
  EXPECT_EQ(budget_over({.elapsed_s = 50, .group_s = 9, .most_s = 12}), "");
  EXPECT_EQ(budget_over({.elapsed_s = 55, .group_s = 9, .most_s = 12}),
            "the budget of 60 s is over after 55 s: another group takes about 9.0 s");
  EXPECT_EQ(budget_over({.elapsed_s = 55, .group_s = 9, .most_s = 12}, 6), "") << "none is planned";
  EXPECT_EQ(budget_over({.elapsed_s = 55}, 0), "") << "nothing is known of the first one";
  EXPECT_NE(budget_over({.elapsed_s = 65}, 0), "");
}

TEST(BudgetOver, EndsByTheSpreadOfGroupsNotByTheTypicalOne) {
  EXPECT_NE(budget_over({.elapsed_s = 50, .group_s = 5, .most_s = 14}), "");
}

TEST(BudgetOver, KeepsTimeForWhatIsTriedOnceMore) {
  EXPECT_EQ(budget_over({.elapsed_s = 42, .group_s = 9, .most_s = 12}), "");
  EXPECT_NE(budget_over({.elapsed_s = 42, .group_s = 9, .most_s = 12, .waiting = 2}), "");
}

TEST(BudgetOver, GroupThatWasDroppedEndsItHoweverShortOthersWere) {
  EXPECT_EQ(
      budget_over({.elapsed_s = 63, .group_s = 0.1, .most_s = 0.1, .cut = "group 4 was dropped"}),
      "the budget of 60 s is over after 63 s: group 4 was dropped");
}

TEST(LatestEnd, LeavesTimeForTheAnswerWithinATenth) {
  const Prepared prepared = with_budget(60, {});
  EXPECT_GT(latest_end_s(prepared), 60);
  EXPECT_LT(latest_end_s(prepared), 66);
  EXPECT_LT(latest_end_s(with_budget(10, {})), 10) << "processes take a second to end";
  EXPECT_GT(latest_end_s(with_budget(1, {})), 0.5);
  EXPECT_FALSE(latest_end_s(with_budget({}, {})).has_value());
}

TEST(GroupTime, FollowsTheLatestGroupsAndTheirSpread) {
  const std::vector<double> slower{1, 1, 1, 1, 1, 1, 4, 4, 6, 4, 4};
  EXPECT_EQ(group_time(slower, 1).typical_s, 4);
  EXPECT_EQ(group_time(slower, 1).most_s, 6);
  const std::vector<double> faster{9, 1, 1, 1, 1, 1};
  EXPECT_LT(group_time(faster, 9).most_s, 2) << "a slow pilot is forgotten";
  const std::vector<double> pilot{2};
  EXPECT_EQ(group_time(pilot, 70).typical_s, 2) << "what was measured takes the estimate's place";
  EXPECT_GT(group_time(pilot, 70).most_s, 2);
  EXPECT_EQ(group_time({}, 3).typical_s, 3);
}

TEST(CutShort, NamesABudgetThatWouldBeEnough) {
  const Prepared prepared = with_budget(10, {.min = 3, .max = 60});
  EXPECT_EQ(cut_short_text(prepared, {}, {.group_s = 8}, 0, "the budget of 10 s is over"),
            "the budget of 10 s is over, and no launch group is complete; a budget of about 36 s "
            "would be enough");
  EXPECT_EQ(cut_short_text(prepared, {}, {.group_s = 8}, 1, "the budget of 10 s is over"),
            "the budget of 10 s is over, and only 1 of the 3 launch groups asked for is complete; "
            "a budget of about 36 s would be enough");
  EXPECT_THAT(
      cut_short_text(prepared, {}, {.group_s = 1, .most_s = 8, .cut = "it was dropped"}, 2, "over"),
      HasSubstr("36 s would be enough"))
      << "what was dropped took longer than the others";
  EXPECT_EQ(cut_short_text(prepared, {}, {.group_s = 2}, 3, "over"), "") << "they are there";
}

}  // namespace
}  // namespace invar::driver
