// A round more for what was disturbed in an earlier group.
#include "design/plan/repeats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT

// Three groups of two rounds over two cells and two arms.
record::Plan planned(const std::string& pairing) {
  const Campaign campaign = read_campaign(with_head("[engine]\npairing = \"" + pairing + R"("
[design]
rounds = 2
repetitions = 5
[[cells]]
operation = "bcast"
size = [8, 64]
[[arm]]
library = "openmpi"
[[arm]]
library = "mpich"
)"),
                                          "repeats.toml");
  Counters counters;
  return plan_groups(campaign, resolve_cells(campaign, surroundings(2), "repeats.toml"), 3,
                     counters);
}

std::vector<record::PlanRow> rows_of(const record::Plan& plan, std::uint32_t group,
                                     std::uint32_t round) {
  std::vector<record::PlanRow> rows;
  std::copy_if(
      plan.rows.begin(), plan.rows.end(), std::back_inserter(rows),
      [&](const record::PlanRow& row) { return row.group == group && row.round == round; });
  return rows;
}

TEST(Repeats, WholeBlocksFollowInARoundOfTheirOwn) {
  const record::Plan before = planned("turns");
  const std::vector<std::uint32_t> cells{1, 1, 0};
  const std::vector<std::uint32_t> by_round{0, 1, 1};
  const record::Plan plan = with_repeats(before, 2, cells, false);
  EXPECT_EQ(plan.rows.size(), before.rows.size() + 6);
  std::vector<record::PlanRow> added = rows_of(plan, 2, 2);
  EXPECT_EQ(added.size(), 4U) << "a cell has one block a round";
  for (const record::PlanRow& row : rows_of(plan, 2, 3)) added.push_back(row);
  ASSERT_EQ(added.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(added[i].cell, by_round[i / 2]) << "rounds follow each other";
    EXPECT_EQ(added[i].block, 4 + i / 2);
    EXPECT_EQ(added[i].turn, 8 + i);
  }
  EXPECT_NE(added[2].arm, added[3].arm);
  // A B after B A: what a block costs by its order cancels.
  std::string last;
  for (const record::PlanRow& row : rows_of(plan, 2, 1)) {
    if (row.cell == 1) last = row.arm;
  }
  EXPECT_EQ(added[2].arm, last);
}

// What stands beside a disturbed block is compared with it in that round.
TEST(Repeats, FamilyIsRepeatedAsAWhole) {
  const Campaign campaign = read_campaign(with_head(R"([design]
rounds = 2
[[cells]]
operation = ["scan", "bcast", "allreduce"]
size = 8
[[family]]
name = "f"
cells = [{ operation = "bcast", size = 8 }, { operation = "allreduce", size = 8 }]
[[arm]]
library = "openmpi"
)"),
                                          "repeats.toml");
  Counters counters;
  const record::Plan before =
      plan_groups(campaign, resolve_cells(campaign, surroundings(1), "repeats.toml"), 1, counters);
  const auto id_of = [&](const std::string& operation) {
    return std::ranges::find(before.cells, operation, &record::Cell::operation)->id;
  };
  std::vector<std::uint32_t> both{id_of("bcast"), id_of("allreduce")};
  std::ranges::sort(both);
  for (const std::vector<std::uint32_t>& cells :
       {std::vector{both[0]}, std::vector{both[1]}, both}) {
    const record::Plan plan = with_repeats(before, 1, cells, false);
    std::vector<std::uint32_t> again;
    for (const record::PlanRow& row : rows_of(plan, 1, 2)) again.push_back(row.cell);
    std::ranges::sort(again);
    EXPECT_EQ(again, both);
    EXPECT_TRUE(rows_of(plan, 1, 3).empty()) << "one round is enough for both";
  }
}

TEST(Repeats, OtherGroupsStayAsTheyWere) {
  const record::Plan before = planned("turns");
  const record::Plan plan = with_repeats(before, 2, std::vector<std::uint32_t>{0}, false);
  EXPECT_EQ(rows_of(plan, 1, 0), rows_of(before, 1, 0));
  std::vector<record::PlanRow> third = rows_of(plan, 3, 1);
  for (record::PlanRow& row : third) row.visit -= 2;
  EXPECT_EQ(third, rows_of(before, 3, 1));
}

TEST(Repeats, LaunchesGetThemAtTheirEnd) {
  const record::Plan plan =
      with_repeats(planned("launches"), 1, std::vector<std::uint32_t>{1}, true);
  std::uint32_t launch = 0;
  std::size_t changes = 0;
  for (const record::PlanRow& row : plan.rows) {
    if (row.group != 1) continue;
    changes += row.launch != launch ? 1U : 0U;
    launch = row.launch;
  }
  EXPECT_EQ(changes, 2U) << "each launch is measured in one piece";
  EXPECT_EQ(rows_of(plan, 1, 2).size(), 2U);
}

// Its file is a plan as any other: blocks whole, turns without gaps, visits in order.
TEST(Repeats, PlanIsReadBack) {
  for (const bool launches : {false, true}) {
    const record::Plan plan = with_repeats(planned(launches ? "launches" : "turns"), 2,
                                           std::vector<std::uint32_t>{0, 1, 1}, launches);
    EXPECT_EQ(record::read_plan(record::plan_csv(plan), "plan.csv").rows, plan.rows);
  }
}

TEST(Repeats, NothingToRepeatAndUnknownGroups) {
  const record::Plan before = planned("turns");
  EXPECT_EQ(with_repeats(before, 1, {}, false).rows, before.rows);
  EXPECT_EQ(with_repeats(before, 1, std::vector<std::uint32_t>{99}, false).rows, before.rows);
  EXPECT_THROW(with_repeats(before, 4, {}, false), std::invalid_argument);
}

}  // namespace
}  // namespace invar::design
