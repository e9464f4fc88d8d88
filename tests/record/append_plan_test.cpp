// A later plan takes over from its first group on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/plan.hpp"

namespace invar::record {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two visits in each of these groups.
Plan plan_of(std::initializer_list<std::uint32_t> groups, std::uint32_t calls = 1) {
  Plan plan;
  for (const std::uint32_t group : groups) {
    for (std::uint32_t turn = 0; turn < 2; ++turn) {
      plan.rows.push_back({.group = group, .turn = turn, .calls = calls});
      plan.lines.push_back(static_cast<int>(plan.rows.size()) + 1);
    }
  }
  return plan;
}

std::vector<std::uint32_t> groups_of(const Plan& plan) {
  std::vector<std::uint32_t> groups;
  for (const PlanRow& row : plan.rows) groups.push_back(row.group);
  return groups;
}

TEST(AppendPlan, TheFirstPlanStaysWhole) {
  std::vector<Plan> plans;
  append_plan(plans, plan_of({1, 2}));
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_THAT(groups_of(plans[0]), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(plans[0].lines, ElementsAre(2, 3, 4, 5));
}

TEST(AppendPlan, GroupsThatFollowAreAdded) {
  std::vector<Plan> plans{plan_of({1, 2})};
  append_plan(plans, plan_of({3}));
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_THAT(groups_of(plans[0]), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(groups_of(plans[1]), ElementsAre(3, 3));
}

TEST(AppendPlan, FromItsFirstGroupOnItReplacesWhatWasPlannedBefore) {
  std::vector<Plan> plans{plan_of({1, 2, 3, 4})};
  append_plan(plans, plan_of({2, 3}, 62));
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_THAT(groups_of(plans[0]), ElementsAre(1, 1)) << "group 4 is planned no more";
  EXPECT_THAT(plans[0].lines, ElementsAre(2, 3)) << "a line for every row that is left";
  EXPECT_THAT(groups_of(plans[1]), ElementsAre(2, 2, 3, 3));
  EXPECT_EQ(plans[1].rows[0].calls, 62U);
}

TEST(AppendPlan, AllPlansBeforeGiveWay) {
  std::vector<Plan> plans{plan_of({1, 2}), plan_of({3, 4}), plan_of({5})};
  append_plan(plans, plan_of({2}));
  ASSERT_EQ(plans.size(), 4U) << "the place of a plan is its number";
  EXPECT_THAT(groups_of(plans[0]), ElementsAre(1, 1));
  EXPECT_THAT(groups_of(plans[1]), IsEmpty());
  EXPECT_THAT(groups_of(plans[2]), IsEmpty());
  EXPECT_THAT(plans[2].lines, IsEmpty());
  EXPECT_THAT(groups_of(plans[3]), ElementsAre(2, 2));
}

TEST(AppendPlan, AnEmptyPlanTakesNothingAway) {
  std::vector<Plan> plans{plan_of({1, 2})};
  append_plan(plans, {});
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_THAT(groups_of(plans[0]), ElementsAre(1, 1, 2, 2));
}

TEST(AppendPlan, APlanThatWasNotReadFromAFileHasNoLines) {
  std::vector<Plan> plans{plan_of({1, 2})};
  plans[0].lines.clear();
  append_plan(plans, plan_of({2}));
  EXPECT_THAT(groups_of(plans[0]), ElementsAre(1, 1));
  EXPECT_THAT(plans[0].lines, IsEmpty());
}

}  // namespace
}  // namespace invar::record
