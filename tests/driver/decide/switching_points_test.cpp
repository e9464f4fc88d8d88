// Where the winner changes from one size to the next, the size half way is raced in groups that
// have chosen nothing.
#include "driver/decide/switching_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "analysis/tuning/added_races.hpp"
#include "analysis/tuning/planted_races.hpp"
#include "driver/decide/decisions.hpp"
#include "driver/decide/plans.hpp"

namespace invar::driver {
namespace {

using planted::kDefaultArm;
using planted::kGivenArm;
using planted::kSwitchingArm;
using planted::PlantedRaces;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

planted::PlantedRace race_at(std::uint64_t size_bytes, double default_ns, double chain_ns) {
  return {.size_bytes = size_bytes,
          .candidates = {{"default", kGivenArm, 3000},
                         {"library-default", kDefaultArm, default_ns},
                         {"algorithm:chain", kSwitchingArm, chain_ns},
                         {"algorithm:linear", kSwitchingArm, 5000}}};
}

// Looks have ended: all that is planned is measured.
struct EndedRace {
  explicit EndedRace(const std::vector<planted::PlantedRace>& races) : planted(races) {
    planted.campaign.stopping = design::Stopping::kLooks;
    planted.campaign.launches = design::kLookLaunches;
    planted.campaign.rounds = planted.plan.rounds;
    planted.campaign.repetitions = planted.plan.repetitions;
    data = planted.data();
    data.looks = {planted::look_after(1, planted.plan.groups)};
    prepared.place = "tune";
    prepared.campaign = planted.campaign;
    prepared.ranks = 2;
    prepared.cells.cells = data.cells;
    prepared.cells.operations.resize(data.arms.size());
    for (const record::Cell& cell : data.cells) {
      std::vector<std::uint32_t>& arms = prepared.cells.arms.emplace_back();
      for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
        const store::Launch& launch = data.groups.front().launches.at(arm);
        const bool has = std::ranges::any_of(
            launch.visits, [&](const store::Visit& visit) { return visit.line.cell == cell.id; });
        if (!has) continue;
        arms.push_back(arm);
        prepared.cells.operations[arm].emplace(
            cell.operation,
            record::OperationInfo{.name = cell.operation, .datatypes = {{.name = "byte"}}});
      }
    }
    state.planned_groups = planted.plan.groups;
    state.batches = record::Calls{};
    design::Counters counters;
    state.plans = {
        design::plan_groups(prepared.campaign, prepared.cells, planted.plan.groups, counters)};
    for (std::uint32_t group = 1; group <= planted.plan.groups; ++group) {
      state.groups.push_back({.group = group, .complete = true, .seconds = 1});
      finished.insert(group);
    }
  }

  Step decide() {
    return decide_switching_points(
        {.prepared = prepared,
         .state = state,
         .finished = finished,
         .groups_complete = planted.plan.groups,
         .spent = {.groups_done = planted.plan.groups, .elapsed_s = 10, .group_s = 1},
         .budget_s = budget_s,
         .measured = [this]() -> const store::Data& { return data; }});
  }

  PlantedRaces planted;
  store::Data data = {};
  Prepared prepared = {};
  store::State state = {};
  std::set<std::uint32_t> finished = {};
  std::optional<double> budget_s = {};
};

bool decided_nothing(const Step& step) {
  return std::holds_alternative<std::monostate>(step.line) && !step.plan && !step.groups;
}

TEST(SwitchingPoints, SizeHalfWayIsRacedBetweenThoseWhoWinOnEitherSide) {
  EndedRace ended({race_at(8, 1000, 1300), race_at(128, 1000, 700)});
  const Step step = ended.decide();
  const auto* line = std::get_if<store::DecidedLine>(&step.line);
  ASSERT_NE(line, nullptr);
  const std::vector<design::RaceBlock> races = analysis::added_races(std::vector{store::DecidedLine{
      .decision = std::string(analysis::kSwitchingDecision), .fields = line->fields}});
  ASSERT_THAT(races, SizeIs(1));
  EXPECT_EQ(races[0].size_bytes, 32U);
  EXPECT_EQ(races[0].family, "bcast-32-p2");
  std::vector<std::string> texts;
  for (const design::RaceCandidate& candidate : races[0].candidates) {
    texts.push_back(candidate.is + " in " + candidate.arm);
  }
  EXPECT_THAT(texts, ElementsAre("default in bad", "library-default in library-default",
                                 "algorithm:chain in algorithms"))
      << "nobody else has a chance";
  // The arm as given and the library's own choice are one cell in two arms.
  ASSERT_THAT(line->added, SizeIs(2));
  EXPECT_THAT(line->added[0].arms, ElementsAre("bad", "library-default"));
  EXPECT_EQ(line->added[1].cell.algorithm, "algorithm:chain");
  EXPECT_EQ(line->added[1].cell.family, "bcast-32-p2");
  EXPECT_THAT(step.say, HasSubstr("bcast, 32 B, 2 ranks"));
}

TEST(SwitchingPoints, GroupsThatChoseDoNotJudgeAndNewOnesMeasureNothingElse) {
  EndedRace ended({race_at(8, 1000, 1300), race_at(128, 1000, 700)});
  const Step step = ended.decide();
  const auto* line = std::get_if<store::DecidedLine>(&step.line);
  ASSERT_NE(line, nullptr);
  ASSERT_THAT(line->not_judging, SizeIs(1));
  EXPECT_THAT(line->not_judging[0].groups, SizeIs(ended.planted.plan.groups));
  EXPECT_THAT(line->not_judging[0].cells,
              ElementsAre(line->added[0].cell.id, line->added[1].cell.id));
  ASSERT_TRUE(step.plan);
  std::set<std::uint32_t> groups;
  std::set<std::uint32_t> cells;
  for (const record::PlanRow& row : step.plan->rows) {
    groups.insert(row.group);
    cells.insert(row.cell);
  }
  EXPECT_THAT(groups, SizeIs(kSwitchingGroups));
  EXPECT_EQ(*groups.begin(), ended.planted.plan.groups + 1);
  EXPECT_THAT(cells, ElementsAre(line->added[0].cell.id, line->added[1].cell.id));
  EXPECT_GT(step.group_s, 0);
}

// It refuses the larger size, and wins at the smaller one: it races half way.
TEST(SwitchingPoints, WinnerThatTheOtherSideLacksIsRacedToo) {
  EndedRace ended({race_at(8, 1000, 700), race_at(128, 1000, 1300)});
  for (const record::Cell& cell : ended.prepared.cells.cells) {
    if (cell.algorithm != "algorithm:chain" || cell.size_bytes != 128U) continue;
    ended.state.failed_cells.emplace_back(cell.id, "algorithms");
    ended.data.failed_cells.push_back(
        {.cell = cell.id, .arm = "algorithms", .reason = "MPI error (rank 0 on node3): refused"});
  }
  ASSERT_THAT(ended.state.failed_cells, SizeIs(1));
  const Step step = ended.decide();
  const auto* line = std::get_if<store::DecidedLine>(&step.line);
  ASSERT_NE(line, nullptr);
  EXPECT_THAT(line->fields, HasSubstr("algorithm:chain"));
}

// All of its visits were lost, say: the same cells once more would be two of one.
TEST(SwitchingPoints, SizeThatWasPlannedBeforeIsNotPlannedAgain) {
  EndedRace ended({race_at(8, 1000, 1300), race_at(128, 1000, 700)});
  const Step step = ended.decide();
  const auto* line = std::get_if<store::DecidedLine>(&step.line);
  ASSERT_NE(line, nullptr);
  ended.data.decided = {*line};
  EXPECT_TRUE(decided_nothing(ended.decide()));
}

TEST(SwitchingPoints, OneWinnerHasNone) {
  EndedRace ended({race_at(8, 1000, 700), race_at(128, 1000, 700)});
  EXPECT_TRUE(decided_nothing(ended.decide()));
}

TEST(SwitchingPoints, WaitForTheEndOfTheLooks) {
  EndedRace ended({race_at(8, 1000, 1300), race_at(128, 1000, 700)});
  ended.state.planned_groups.reset();
  EXPECT_TRUE(decided_nothing(ended.decide()));
}

TEST(SwitchingPoints, AreNotMeasuredWhereTheBudgetHasNoRoomForThem) {
  EndedRace ended({race_at(8, 1000, 1300), race_at(128, 1000, 700)});
  ended.budget_s = 10.001;
  EXPECT_TRUE(decided_nothing(ended.decide()));
  ended.budget_s = 1000;
  EXPECT_FALSE(decided_nothing(ended.decide()));
}

TEST(SwitchingPoints, AreHalvedSoManyTimesAndNoMore) {
  EndedRace ended({race_at(8, 1000, 1300), race_at(128, 1000, 700)});
  for (std::size_t i = 0; i < kMostSwitchingSteps; ++i) {
    ended.state.decided.push_back({.decision = std::string(analysis::kSwitchingDecision),
                                   .fields = analysis::added_races_text({})});
  }
  EXPECT_TRUE(decided_nothing(ended.decide()));
}

TEST(SwitchingPoints, AreADecisionOfCampaignsThatRaceAlone) {
  EndedRace ended({race_at(8, 1000, 1300), race_at(128, 1000, 700)});
  EXPECT_TRUE(has_switching_points(ended.prepared));
  ended.prepared.campaign.races.clear();
  EXPECT_FALSE(has_switching_points(ended.prepared));
  const auto named =
      std::ranges::find(all_decisions(), analysis::kSwitchingDecision, &Decision::name);
  ASSERT_NE(named, all_decisions().end());
  EXPECT_EQ(named, all_decisions().end() - 1) << "behind those that end the looks";
}

}  // namespace
}  // namespace invar::driver
