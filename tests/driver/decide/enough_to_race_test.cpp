// The first phase of `invar tune --cells violated` ends when there is something to race, and not
// before.
#include "driver/decide/enough_to_race.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/planted.hpp"
#include "driver/decide/decisions.hpp"

namespace invar::driver {
namespace {

// Three groups and a look, with a budget of 60 s: a third of it is the quarter of the whole.
struct LookedAt {
  LookedAt() {
    plan.groups = 3;
    data = planted::data(plan);
    prepared.place = "tune --cells violated";
    prepared.ranks = 2;
    prepared.campaign.stopping = design::Stopping::kLooks;
    prepared.campaign.launches = design::kLookLaunches;
    prepared.campaign.budget_s = 60;
    for (const std::string& label : plan.arms) {
      prepared.campaign.arms.push_back({.label = label, .library = label});
    }
    prepared.cells.cells = data.cells;
    prepared.cells.arms.assign(data.cells.size(), {0, 1});
    state.looks = {planted::look_after(1, 3)};
    state.looks.back().decided = {{.verdict = "holds"}};
    for (std::uint32_t group = 1; group <= plan.groups; ++group) {
      state.groups.push_back({.group = group, .complete = true, .seconds = 1});
      finished.insert(group);
    }
  }

  Step decide(double elapsed_s) {
    return decide_enough_to_race(
        {.prepared = prepared,
         .state = state,
         .finished = finished,
         .groups_complete = plan.groups,
         .spent = {.groups_done = plan.groups, .elapsed_s = elapsed_s, .group_s = 1},
         .measured = [this]() -> const store::Data& { return data; }});
  }

  planted::Plan plan = {};
  store::Data data = {};
  Prepared prepared = {};
  store::State state = {};
  std::set<std::uint32_t> finished = {};
};

TEST(EnoughToRace, EndsTheGuidelinesOnceOneIsBrokenAndTheirShareIsOver) {
  LookedAt looked;
  looked.state.looks.back().decided.push_back({.verdict = "violated"});
  EXPECT_FALSE(looked.decide(10).groups) << "their share is 20 s";
  const Step step = looked.decide(20);
  ASSERT_TRUE(step.groups);
  EXPECT_EQ(step.groups->groups, 3U);
}

TEST(EnoughToRace, LeavesThemTheTimeWhereThereIsNothingToRace) {
  LookedAt looked;
  EXPECT_FALSE(looked.decide(50).groups);
}

TEST(EnoughToRace, HasNothingToSayOfWhatHasEnded) {
  LookedAt looked;
  looked.state.looks.back().decided.push_back({.verdict = "violated"});
  looked.state.planned_groups = 3;
  EXPECT_FALSE(looked.decide(50).groups);
}

TEST(EnoughToRace, IsAskedBeforeTheLooksThatItEnds) {
  const std::vector<Decision> decisions = decisions_until_something_races();
  ASSERT_EQ(decisions.size(), all_decisions().size() + 1);
  const auto own =
      std::ranges::find(decisions, std::string_view("enough-to-race"), &Decision::name);
  ASSERT_NE(own, decisions.end());
  EXPECT_EQ((own + 1)->name, "looks");
}

}  // namespace
}  // namespace invar::driver
