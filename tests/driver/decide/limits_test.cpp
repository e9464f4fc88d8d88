// Time limits follow from the plan, then from what was measured.
#include "driver/decide/limits.hpp"

#include <gtest/gtest.h>

#include "design/helpers.hpp"
#include "driver/run/run.hpp"

namespace invar::driver {
namespace {

Prepared small() {
  Prepared prepared{.campaign = design::test::small_campaign(2, 1, 1), .ranks = 2, .cpus = {0, 1}};
  prepared.cells = design::test::resolved(prepared.campaign);
  return prepared;
}

TEST(Limits, HungVisitIsFoundInSecondsNotHours) {
  const Prepared prepared = small();
  const Limits limits = limits_of(prepared, first_plan(prepared), {});
  EXPECT_GE(limits.visit_s, 10);
  EXPECT_LE(limits.visit_s, 60);
  EXPECT_GT(limits.group_s, limits.visit_s + limits.start_s);
}

TEST(Limits, ClocksThatTakeLongToSynchroniseAreNoHungStart) {
  Prepared prepared = small();
  const record::Plan plan = first_plan(prepared);
  const double one_host_s = limits_of(prepared, plan, {}).start_s;
  prepared.campaign.arms[1].launch = {{"clock-sync", "jk"}};
  EXPECT_EQ(limits_of(prepared, plan, {}).start_s, one_host_s)
      << "one clock, nothing to synchronise";
  prepared.campaign.virtual_clocks.skew = {1e-5};
  const double jk_s = limits_of(prepared, plan, {}).start_s;
  EXPECT_GE(jk_s, one_host_s + 1000 * 100 * 20e-6);
  prepared.campaign.arms[1].launch = {{"clock-sync", "none"}};
  EXPECT_LT(limits_of(prepared, plan, {}).start_s, jk_s);
}

TEST(Limits, ArmsThatSynchroniseOneAfterTheOtherAllHaveTheirTimeInTheGroup) {
  Prepared prepared = small();
  const record::Plan plan = first_plan(prepared);
  prepared.campaign.virtual_clocks.skew = {1e-5};
  for (design::Arm& arm : prepared.campaign.arms) arm.launch = {{"clock-sync", "none"}};
  const Limits without = limits_of(prepared, plan, {});
  const std::size_t arms = prepared.campaign.arms.size();
  for (design::Arm& arm : prepared.campaign.arms) {
    arm.launch = {{"clock-sync", "hca3:duration=100"}};
  }
  const Limits limits = limits_of(prepared, plan, {});
  EXPECT_GE(limits.start_s, without.start_s + 100);
  EXPECT_GE(limits.group_s, without.group_s + 100 * static_cast<double>(arms));
  EXPECT_EQ(limits.visit_s, without.visit_s);
}

TEST(Limits, VisitThatIsKnownToBeLongHasTimeForItsLength) {
  const Prepared prepared = small();
  const record::Plan plan = first_plan(prepared);
  const double before_s = limits_of(prepared, plan, {}).visit_s;
  EXPECT_GE(limits_of(prepared, plan, {{plan.rows[0].cell, 30.0}}).visit_s, before_s + 10 * 30);
}

TEST(Limits, RanksThatShareCoresWaitForEachOther) {
  Prepared prepared = small();
  const record::Plan plan = first_plan(prepared);
  const double alone_s = limits_of(prepared, plan, {}).visit_s;
  prepared.campaign.engine.oversubscribe = true;
  EXPECT_GT(limits_of(prepared, plan, {}).visit_s, alone_s);
}

TEST(Limits, CampaignsOwnLimitOverrulesThePlans) {
  Prepared prepared = small();
  prepared.campaign.engine.visit_limit_s = 2;
  EXPECT_EQ(limits_of(prepared, first_plan(prepared), {}).visit_s, 2);
}

// Two programs, one cell, one group of `groups` planned ones.
double limit_of_run(const RunsAhead& runs) {
  Prepared prepared = small();
  for (design::Arm& arm : prepared.campaign.arms) arm.program.command = "app";
  record::Plan plan = first_plan(prepared);
  std::erase_if(plan.rows, [](const record::PlanRow& row) { return row.group > 1; });
  EXPECT_EQ(plan.rows.size(), 2U);
  return limits_of(prepared, plan, {}, runs).program_s;
}

TEST(Limits, RunsOfAnUnknownProgramShareTheBudget) {
  EXPECT_EQ(limit_of_run({}), 600) << "no budget";
  EXPECT_EQ(limit_of_run({.left_s = 300, .groups = 3}), 300.0 / 2 / 3);
  EXPECT_EQ(limit_of_run({.left_s = 20, .groups = 3}), 10) << "a slow machine is not a hung one";
  EXPECT_EQ(limit_of_run({.left_s = -5}), 10) << "nothing is left";
  EXPECT_EQ(limit_of_run({.left_s = 1e6}), 600);
  EXPECT_GT(limit_of_run({.longest_s = 30, .left_s = 20}), 600) << "it is known to take long";
}

}  // namespace
}  // namespace invar::driver
