// How many groups a campaign with a fixed number of launches has: by the clock alone.
#include "driver/decide/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "driver/decide/sequential_campaign.hpp"
#include "driver/run/run.hpp"

namespace invar::driver {
namespace {

using testing::HasSubstr;

// A campaign whose pilot group said that four groups fit; of these `done` are measured.
struct Planned {
  explicit Planned(double campaign_budget_s, std::uint32_t done = 4) : budget_s(campaign_budget_s) {
    prepared = test::sequential(campaign_budget_s);
    prepared.campaign.stopping = design::Stopping::kFixed;
    prepared.campaign.launches = {.min = 3, .max = 60};
    state.plans = {first_plan(prepared)};
    record::append_plan(state.plans, plan_of_four());
    state.planned_groups = 4;
    for (std::uint32_t group = 1; group <= done; ++group) {
      finished.insert(group);
      state.groups.push_back({.group = group, .complete = true});
    }
  }

  [[nodiscard]] record::Plan plan_of_four() const {
    design::Counters counters{.group = 4, .launch = 7, .visit = 1000};
    return design::plan_groups(prepared.campaign, prepared.cells, 1, counters);
  }

  [[nodiscard]] Step step(Spent spent) const {
    spent.groups_done = static_cast<std::uint32_t>(finished.size());
    return decide_groups({.prepared = prepared,
                          .state = state,
                          .finished = finished,
                          .groups_complete = spent.groups_done,
                          .spent = spent,
                          .budget_s = budget_s});
  }

  double budget_s;
  Prepared prepared = {};
  store::State state = {};
  std::set<std::uint32_t> finished = {};
};

const Spent kShort{.elapsed_s = 40, .group_s = 5, .most_s = 6};

TEST(MoreGroups, ArePlannedWhereTheBudgetHasRoomForThem) {
  const Planned campaign(60);
  const Step step = campaign.step(kShort);
  ASSERT_TRUE(step.groups);
  // One of 6 s, and two of 5 s in the 14 s that are left besides it.
  EXPECT_EQ(step.groups->groups, 7U);
  EXPECT_EQ(step.say, "3 more groups fit into the budget of 60 s");
  EXPECT_THAT(step.groups->why, HasSubstr("groups took 5.0 s"));
  ASSERT_TRUE(step.plan);
  std::set<std::uint32_t> groups;
  for (const record::PlanRow& row : step.plan->rows) groups.insert(row.group);
  EXPECT_THAT(groups, testing::ElementsAre(5U, 6U, 7U));
}

// A driver that is killed between the plan and the number decides again.
TEST(MoreGroups, AreTheSameWhoeverPlansThem) {
  Planned campaign(60);
  const Step first = campaign.step(kShort);
  // As it goes on: what was planned already is measured whatever it takes.
  campaign.prepared.campaign.budget_s.reset();
  const Step resumed = campaign.step(kShort);
  ASSERT_TRUE(first.plan && resumed.plan);
  EXPECT_EQ(record::plan_csv(*first.plan), record::plan_csv(*resumed.plan));
  record::append_plan(campaign.state.plans, *first.plan);
  const Step again = campaign.step(kShort);
  ASSERT_TRUE(again.plan && again.groups);
  EXPECT_EQ(again.groups->groups, first.groups->groups);
  EXPECT_EQ(record::plan_csv(*again.plan), record::plan_csv(*first.plan));
}

TEST(MoreGroups, AreNoMoreThanTheCampaignAllows) {
  Planned campaign(600);
  campaign.prepared.campaign.launches.max = 6;
  EXPECT_EQ(campaign.step(kShort).groups->groups, 6U);
  campaign.prepared.campaign.launches.max = 4;
  EXPECT_FALSE(campaign.step(kShort).groups);
}

// Else nobody knows why it stops at a third of its budget.
TEST(FirstGroups, SayWhereTheCampaignAsksForFewerThanTheBudgetHasRoomFor) {
  Planned campaign(120, 3);
  campaign.state.planned_groups.reset();
  campaign.prepared.campaign.launches = {.min = 3, .max = 40};
  const Spent quick{.elapsed_s = 3, .group_s = 1, .most_s = 1};
  const Step step = campaign.step(quick);
  ASSERT_TRUE(step.groups);
  EXPECT_EQ(step.groups->groups, 40U);
  EXPECT_EQ(step.say,
            "40 groups in all are the most that the campaign asks for (launches, max), after about "
            "40 s of the budget of 2 min");
  EXPECT_THAT(step.groups->why, HasSubstr(step.say));
  campaign.prepared.campaign.launches.max = 400;
  EXPECT_EQ(campaign.step(quick).say, "") << "the budget ends it";
}

TEST(MoreGroups, AreNotPlannedWhereThereIsNoTimeOrWorkIsLeft) {
  const Planned campaign(60);
  EXPECT_FALSE(campaign.step({.elapsed_s = 55, .group_s = 5, .most_s = 6}).groups);
  EXPECT_FALSE(campaign.step({.elapsed_s = 40, .group_s = 5, .most_s = 6, .waiting = 1}).groups)
      << "one that failed is tried first";
  EXPECT_FALSE(Planned(60, 3).step(kShort).groups) << "not all that were planned are measured";
  EXPECT_FALSE(Planned(10).step({.elapsed_s = 8.7, .group_s = 1, .most_s = 1}).groups)
      << "of short budgets the answer takes its part";
  Planned without(60);
  without.state.dropped_arms = {"b"};
  EXPECT_FALSE(without.step(kShort).groups) << "nothing is left to compare";
}

// What mends a campaign adds nothing to it.
TEST(MoreGroups, AreNotPlannedForACampaignThatHadComeToItsEnd) {
  Planned campaign(60);
  campaign.state.mended = true;
  EXPECT_FALSE(campaign.step(kShort).groups);
  campaign.state.mended = false;
  campaign.state.ended = true;
  EXPECT_FALSE(campaign.step(kShort).groups);
}

}  // namespace
}  // namespace invar::driver
