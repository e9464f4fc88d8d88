// When looks come, and what is not measured any more after one.
#include "driver/decide/looks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/decide/sequential_campaign.hpp"
#include "driver/prepare/checks.hpp"
#include "record/scheme.hpp"

namespace invar::driver {
namespace {

using test::sequential;

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

// Both sides of a guideline are of one arm: it goes on where the other one is dropped.
TEST(ArmsRemain, OneIsEnoughWhereSidesAreInsideOfArms) {
  Prepared prepared = sequential({});
  store::State state;
  state.dropped_arms = {"a"};
  EXPECT_FALSE(arms_remain(prepared, state));
  prepared.campaign.analysis.question = design::Question::kGuidelines;
  EXPECT_TRUE(arms_remain(prepared, state));
  state.dropped_arms.emplace_back("b");
  EXPECT_FALSE(arms_remain(prepared, state));
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
  using Visits = std::vector<record::ArmCell>;
  EXPECT_EQ(with_other_suites(resolved, {{0, 0}, {0, 1}}), (Visits{{0, 0}, {0, 1}}))
      << "cell 1 still asks for them";
  EXPECT_EQ(with_other_suites(resolved, {{0, 0}, {1, 0}, {1, 1}}),
            (Visits{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 0}}))
      << "the second arm's cell 0 still asks for them";
}

}  // namespace
}  // namespace invar::driver
