// What a plan costs, and how many groups a budget allows.
#include <gtest/gtest.h>

#include "design/helpers.hpp"
#include "record/launch_spec.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT

Estimate estimate_of(const Campaign& campaign, std::uint32_t groups,
                     const std::vector<double>& startup_s = {},
                     const std::map<std::uint32_t, double>& cell_seconds = {}) {
  Counters counters;
  return estimate(campaign, plan_groups(campaign, resolved(campaign), groups, counters), startup_s,
                  cell_seconds);
}

TEST(RoughSeconds, GrowWithSizeAndRanks) {
  const auto seconds = [](const char* operation, std::uint64_t size_bytes, std::uint32_t ranks) {
    return rough_seconds({.operation = operation, .size_bytes = size_bytes, .ranks = ranks});
  };
  for (const record::OperationInfo& info : catalogue()) {
    if (!info.sized) continue;
    const char* name = info.name.c_str();
    EXPECT_GT(seconds(name, 0, 2), 0) << name;
    EXPECT_LT(seconds(name, 8, 2), seconds(name, 65536, 2)) << name;
    EXPECT_LE(seconds(name, 1024, 2), seconds(name, 1024, 64)) << name;
  }
  EXPECT_LT(seconds("bcast", 65536, 64), seconds("allgather", 65536, 64))
      << "a tree against a block from every rank";
  EXPECT_LT(rough_seconds({.operation = "empty"}), rough_seconds({.operation = "barrier"}));
}

TEST(Estimate, CountsVisitsAndLaunches) {
  const Estimate total = estimate_of(small_campaign(2, 5, 4), 3);
  EXPECT_EQ(total.visits, 2U * 5 * 4 * 3);
  EXPECT_EQ(total.launches, 6U);
}

TEST(Estimate, TimeIsProportionalToGroupsAndGrowsWithRepetitions) {
  Campaign campaign = small_campaign(2, 5, 4);
  const double one_s = estimate_of(campaign, 1, {0.4, 0.1}).seconds;
  EXPECT_NEAR(estimate_of(campaign, 10, {0.4, 0.1}).seconds, 10 * one_s, 1e-9);
  campaign.repetitions *= 2;
  EXPECT_GT(estimate_of(campaign, 1, {0.4, 0.1}).seconds, one_s);
}

TEST(Estimate, StartUpsOfTurnsOverlapAndThoseOfLaunchesAddUp) {
  Campaign campaign = small_campaign(2, 1, 1);
  const double visits_s = estimate_of(campaign, 1).seconds;
  EXPECT_NEAR(estimate_of(campaign, 1, {0.4, 0.1}).seconds - visits_s, 0.45, 1e-9);
  campaign.engine.pairing = "launches";
  EXPECT_NEAR(estimate_of(campaign, 1, {0.4, 0.1}).seconds - visits_s, 0.5, 1e-9);
}

TEST(Estimate, MeasuredTimesReplaceTheModel) {
  const Campaign campaign = small_campaign(1, 1, 1);
  // 0.1 s of the group, one call before anything is timed, 25 repetitions and at least 3 of
  // warm-up, of a second each.
  EXPECT_NEAR(estimate_of(campaign, 1, {}, {{0, 1.0}}).seconds, 29.1, 0.05);
}

constexpr double kGroupSeconds = 0.1;

// Seconds of a launch with one visit, less those of the visit and of its group.
double settling_s(double call_s) {
  const Campaign campaign = small_campaign(1, 1, 1);
  Counters counters;
  const record::Plan plan = plan_groups(campaign, resolved(campaign), 1, counters);
  return estimate(campaign, plan, {}, {{0, call_s}}).seconds -
         visit_cost(plan.cells[0], plan.rows[0], call_s).seconds - kGroupSeconds;
}

TEST(Estimate, CellsComeToRestInEveryLaunch) {
  EXPECT_NEAR(settling_s(1e-6), 100e-6, 1e-12) << "so many calls";
  EXPECT_NEAR(settling_s(1e-3), 20e-3, 1e-12) << "the limit";
  EXPECT_NEAR(settling_s(3), 3, 1e-9) << "one call at least";
  // Not in every visit: two launches of two cells, in each of four rounds.
  Campaign campaign = small_campaign(2, 2, 4);
  const std::map<std::uint32_t, double> slow{{0, 1e-3}, {1, 1e-3}};
  Counters counters;
  const record::Plan plan = plan_groups(campaign, resolved(campaign), 1, counters);
  double visits_s = 0;
  for (const record::PlanRow& row : plan.rows) {
    visits_s += visit_cost(plan.cells[row.cell], row, 1e-3).seconds;
  }
  EXPECT_NEAR(estimate(campaign, plan, {}, slow).seconds - visits_s, kGroupSeconds + 4 * 20e-3,
              1e-9);
}

TEST(Estimate, NodeHoursCountEveryNode) {
  const Campaign campaign = small_campaign(1, 1, 1);
  Counters counters;
  record::Plan plan = plan_groups(campaign, resolved(campaign), 1, counters);
  plan.cells[0].nodes = 4;
  const Estimate total = estimate(campaign, plan, {}, {{0, 1.0}});
  EXPECT_NEAR(total.node_hours, 4 * total.seconds / 3600, 1e-12);
}

TEST(Estimate, DataAreRecordsAndWhatBelongsToEachRank) {
  Campaign campaign = small_campaign(1, 1, 1);
  campaign.engine.record = "extent";
  const std::uint64_t extent_bytes = estimate_of(campaign, 1).data_bytes;
  campaign.engine.record = "per-rank";
  // All repetitions of warm-up (bcast of 8 B is fast), 25 measured, 2 ranks, 32 bytes each.
  const std::uint64_t repetitions = record::LaunchSpec().warmup_repetitions + 25;
  EXPECT_EQ(estimate_of(campaign, 1).data_bytes - extent_bytes, repetitions * 2 * 32);
  campaign.engine.record = "auto";
  EXPECT_EQ(estimate_of(campaign, 1).data_bytes - extent_bytes, repetitions * 2 * 32)
      << "auto is per rank up to 8 ranks";
}

TEST(Estimate, QuickstartGroupIsShort) {
  const auto text = base::read_file(std::string(INVAR_SOURCE_DIR) + "/campaigns/quickstart.toml");
  Campaign campaign = read_campaign(text.value_or(""), "quickstart.toml");
  campaign.arms = small_campaign(2, 1, 1).arms;
  const Estimate group = estimate_of(campaign, 1, {0.4, 0.07});
  EXPECT_LT(group.seconds, 2.5) << "150 s must allow the 60 groups";
}

TEST(GroupsForBudget, BudgetDecidesBetweenMinAndMax) {
  const Launches launches{.min = 3, .max = 60};
  // 150 s, 5 of them spent on the pilot group of 3 s: 48 groups more.
  EXPECT_EQ(groups_for_budget(launches, 150, 5, 1, 3), 49U);
  EXPECT_EQ(groups_for_budget(launches, 150, 5, 1, 0.5), 60U);
  EXPECT_EQ(groups_for_budget(launches, 150, 5, 1, 100), 3U) << "min wins over the budget";
  EXPECT_EQ(groups_for_budget(launches, 150, 500, 1, 3), 3U) << "nothing is left";
}

TEST(GroupsForBudget, WithoutABudgetAllLaunchesAreMade) {
  EXPECT_EQ(groups_for_budget({.min = 3, .max = 60}, {}, 5, 1, 1000), 60U);
  EXPECT_EQ(groups_for_budget({.min = 30, .max = 30}, 1, 5, 1, 1000), 30U) << "a fixed number";
}

TEST(GroupsForBudget, ExtremesDoNotOverflow) {
  const Launches launches{.min = 1, .max = 100'000};
  EXPECT_EQ(groups_for_budget(launches, 1e18, 0, 1, 1e-9), 100'000U);
  EXPECT_EQ(groups_for_budget(launches, 10, 0, 1, 0), 100'000U);
  EXPECT_EQ(groups_for_budget({.min = 1, .max = 2}, 10, 9, 5, 1), 5U) << "what is done is done";
}

}  // namespace
}  // namespace invar::design
