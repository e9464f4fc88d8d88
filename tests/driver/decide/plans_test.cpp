// The plan of the groups to come.
#include "driver/decide/plans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "driver/decide/sequential_campaign.hpp"

namespace invar::driver {
namespace {

using test::sequential;

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

}  // namespace
}  // namespace invar::driver
