// When looks come, and what is not measured any more after one.
#include "driver/decide/looks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/decide/driven_campaign.hpp"
#include "driver/decide/sequential_campaign.hpp"
#include "driver/prepare/checks.hpp"
#include "record/scheme.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

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

// Two arms that nothing decides between, and a machine that is fast in groups 1, 3, 5, 9, 13, ...
// After 3, 5 and 8 groups is a look.
constexpr std::uint32_t kAskedGroups = 8;

test::Planted seldom_fast(const std::string& budget) {
  test::Planted planted;
  planted.written = {.groups = 3, .rounds = 4, .repetitions = 5};
  planted.written.median_ns = [](std::size_t, std::size_t) { return 500.0; };
  planted.written.toml = synthetic::campaign_toml(planted.written);
  const std::string launches = "launches = 3\n";
  planted.written.toml.replace(
      planted.written.toml.find(launches), launches.size(),
      "stopping = \"looks\"\nlaunches = { max = " + std::to_string(kAskedGroups) + " }\n" + budget);
  planted.canary_ns = [](std::uint32_t group) {
    return group % (group <= 5 ? 2 : 4) == 1 ? 260.0 : 900.0;
  };
  return planted;
}

std::vector<std::size_t> groups_at_looks(const test::Planted& planted) {
  const store::TestDir scratch;
  store::CampaignDir dir = test::begin_planted(scratch / "c", planted);
  test::drive_planted(dir, planted);
  std::vector<std::size_t> groups;
  for (const store::LookLine& line : dir.state().looks) groups.push_back(line.groups.size());
  return groups;
}

// Those outside of the reference regime took the place of those that count: with 13 of 15 minutes
// left the last look rested on six groups.
TEST(NextLook, TheLastOneWaitsForGroupsThatCountAsLongAsTheBudgetLasts) {
  EXPECT_THAT(groups_at_looks(seldom_fast("budget = \"1h\"\n")), testing::ElementsAre(5, 10, 25));
}

TEST(NextLook, WithoutABudgetNoneWaitsForMoreThanTwiceItsGroups) {
  EXPECT_THAT(groups_at_looks(seldom_fast("")), testing::ElementsAre(5, 10, 2 * kAskedGroups));
}

// There was room for one group after the second look, and then for none.
TEST(NextLook, TheLastOneThatTheBudgetBroughtForwardIsNoEndOfAllLooks) {
  test::Planted planted = seldom_fast("budget = \"60s\"\n");
  planted.canary_ns = {};
  planted.written.launch_sd = 0.2;
  planted.spent = [](std::size_t groups) {
    return Spent{.elapsed_s = groups < 5 ? 0 : groups < 6 ? 59.7 : 59.9, .group_s = 0.25};
  };
  const store::TestDir scratch;
  store::CampaignDir dir = test::begin_planted(scratch / "c", planted);
  test::drive_planted(dir, planted);
  ASSERT_THAT(dir.state().looks, testing::SizeIs(3));
  EXPECT_THAT(dir.state().looks.back().groups, testing::SizeIs(6));
  ASSERT_FALSE(dir.state().warnings.empty());
  ASSERT_TRUE(dir.state().warnings.back().left_open.has_value());
  EXPECT_EQ(dir.state().warnings.back().left_open->reason, "the budget of 60 s is over");
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
