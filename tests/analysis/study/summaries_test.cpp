#include "analysis/study/summaries.hpp"

#include <gtest/gtest.h>

#include "analysis/planted.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

planted::Plan one_launch() {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells = {planted::cell("allreduce", 8)};
  plan.groups = 1;
  plan.rounds = 1;
  plan.group_sd = plan.launch_sd = plan.visit_sd = 0;
  return plan;
}

TEST(Summaries, WarmUpsAndLateRepetitionsAreLeftOutAndCounted) {
  planted::Plan plan = one_launch();
  plan.flags = [](std::size_t, std::size_t, std::uint32_t repetition) {
    return static_cast<std::uint16_t>(repetition % 3 == 0 ? record::kLate : 0);
  };
  const store::Data data = planted::data(plan);
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  ASSERT_EQ(summaries.visits.size(), 1U);
  EXPECT_EQ(summaries.visits[0].observations, 10U);
  EXPECT_NEAR(summaries.visits[0].median_ns, 1000, 30);
  EXPECT_EQ(summaries.arms[0].kept, 10U);
  EXPECT_EQ(summaries.arms[0].warm_up, 2U);
  EXPECT_EQ(summaries.arms[0].late, 5U);
}

TEST(Summaries, RepetitionsPastTheWindowAreLeftOut) {
  planted::Plan plan = one_launch();
  plan.flags = [](std::size_t, std::size_t, std::uint32_t repetition) {
    return static_cast<std::uint16_t>(repetition == 5 ? record::kPastWindow : 0);
  };
  const store::Data data = planted::data(plan);
  EXPECT_EQ(summarize_visits(data, Runtime::kAuto, true).arms[0].past_window, 1U);
}

TEST(Summaries, InterruptedRepetitionsAreKept) {
  planted::Plan plan = one_launch();
  plan.flags = [](std::size_t, std::size_t, std::uint32_t) { return record::kInterrupted; };
  const store::Data data = planted::data(plan);
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_EQ(summaries.visits[0].observations, 15U);
  EXPECT_EQ(summaries.arms[0].interrupted, 15U);
}

TEST(Summaries, InvalidGlobalTimesMakeAutomaticRuntimeLocal) {
  planted::Plan plan = one_launch();
  plan.skip_global = true;
  const store::Data data = planted::data(plan);
  const Summaries automatic = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_FALSE(automatic.global);
  EXPECT_TRUE(automatic.global_refused);
  EXPECT_NEAR(automatic.visits[0].median_ns, 1000, 30);
}

TEST(Summaries, InvalidGlobalTimesAreNeverUsedWhenGlobalIsAskedFor) {
  planted::Plan plan = one_launch();
  plan.skip_global = true;
  const store::Data data = planted::data(plan);
  const Summaries forced = summarize_visits(data, Runtime::kGlobal, true);
  EXPECT_TRUE(forced.visits.empty());
  ASSERT_EQ(forced.empty.size(), 1U);
  EXPECT_EQ(forced.empty[0].visits, 1U);
}

// `lacks(arm, cell, group)`: that visit has no valid global time, or has another flag for the same.
// Global times are twice as long.
template <typename Lacks>
store::Data with_global_times(planted::Plan plan, Lacks lacks,
                              record::Flag flag = record::kGlobalInvalid) {
  plan.groups = 8;
  plan.rounds = 1;
  plan.group_sd = plan.launch_sd = plan.visit_sd = 0;
  plan.global_factor = 2;
  store::Data data = planted::data(plan);
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        if (!lacks(launch.arm, visit.line.cell, group.group)) continue;
        for (const record::Timing& timing : visit.records) {
          const_cast<record::Timing&>(timing).flags |= flag;
        }
      }
    }
  }
  return data;
}

double median_of(const Summaries& summaries, std::uint32_t cell) {
  std::vector<double> medians;
  for (const VisitSummary& visit : summaries.visits) {
    if (visit.cell == cell) medians.push_back(visit.median_ns);
  }
  std::ranges::sort(medians);
  return medians.at(medians.size() / 2);
}

TEST(Summaries, OneVisitWithoutGlobalTimesIsLeftOutAndChangesNothingElse) {
  const store::Data data =
      with_global_times({}, [](std::uint32_t arm, std::uint32_t cell, std::uint32_t group) {
        return arm == 0 && cell == 1 && group == 3;
      });
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_TRUE(summaries.global);
  EXPECT_TRUE(summaries.local_cells.empty());
  EXPECT_FALSE(summaries.global_refused);
  EXPECT_EQ(summaries.visits.size(), 8U * 2 * 3 - 1);
  EXPECT_TRUE(summaries.empty.empty()) << "it is not a failure";
  EXPECT_EQ(summaries.arms[0].global_invalid, 15U);
  for (std::uint32_t cell = 0; cell < 3; ++cell) EXPECT_NEAR(median_of(summaries, cell), 2000, 60);
}

TEST(Summaries, RuntimeIsLocalInCellsWhereMostVisitsOfAnArmLackGlobalTimes) {
  const store::Data data =
      with_global_times({}, [](std::uint32_t arm, std::uint32_t cell, std::uint32_t group) {
        return arm == 1 && cell == 1 && group <= 5;
      });
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_TRUE(summaries.global);
  EXPECT_EQ(summaries.local_cells, std::vector<std::uint32_t>{1});
  EXPECT_EQ(summaries.visits.size(), 8U * 2 * 3) << "both arms are local there";
  EXPECT_NEAR(median_of(summaries, 0), 2000, 60);
  EXPECT_NEAR(median_of(summaries, 1), 1000, 30);
  std::vector<double> values_ns;
  Tally tally;
  for (const VisitSummary& visit : summaries.visits) {
    if (visit.cell == 1) append_observations(visit, summaries.global, values_ns, tally);
  }
  EXPECT_EQ(tally.global_invalid, 0U);
  EXPECT_EQ(values_ns.size(), 15U * 16);
}

// Clocks that were told apart by an offset alone drift within a launch, and nothing tells how far.
TEST(Summaries, AutomaticRuntimeIsLocalWhereNoErrorOfGlobalTimesIsStated) {
  const auto everywhere = [](std::uint32_t, std::uint32_t, std::uint32_t) { return true; };
  const store::Data data = with_global_times({}, everywhere, record::kErrorUnstated);
  const Summaries automatic = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_FALSE(automatic.global);
  EXPECT_TRUE(automatic.global_refused) << "so that it is said";
  EXPECT_EQ(automatic.visits.size(), 8U * 2 * 3);
  EXPECT_NEAR(median_of(automatic, 0), 1000, 30);
  const Summaries asked_for = summarize_visits(data, Runtime::kGlobal, true);
  EXPECT_TRUE(asked_for.global);
  EXPECT_EQ(asked_for.visits.size(), 8U * 2 * 3);
  EXPECT_EQ(asked_for.arms[0].global_invalid, 0U);
  EXPECT_NEAR(median_of(asked_for, 0), 2000, 60);
}

// With global times of 2 us, of which 2 % are less than the 0.2 us that are always allowed.
store::Data with_uncertainty(std::uint32_t odd_arm_ps, std::uint32_t odd_visit_ps) {
  store::Data data =
      with_global_times({}, [](std::uint32_t, std::uint32_t, std::uint32_t) { return false; });
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        for (const record::Timing& timing : visit.records) {
          auto& stated_ps = const_cast<record::Timing&>(timing).uncertainty_ps;
          stated_ps = 100'000;
          if (visit.line.cell != 1) continue;
          if (launch.arm == 1) stated_ps = odd_arm_ps;
          if (launch.arm == 0 && group.group == 3) stated_ps = odd_visit_ps;
        }
      }
    }
  }
  return data;
}

TEST(Summaries, UncertaintyIsJudgedOnceForACellAndAllItsArms) {
  // An arm whose clocks agree worse: both arms are local in that cell, and no visit is missing.
  const store::Data arm = with_uncertainty(300'000, 100'000);
  const Summaries local = summarize_visits(arm, Runtime::kAuto, true);
  EXPECT_EQ(local.local_cells, std::vector<std::uint32_t>{1});
  EXPECT_EQ(local.visits.size(), 8U * 2 * 3);
  EXPECT_NEAR(median_of(local, 0), 2000, 60);
  EXPECT_NEAR(median_of(local, 1), 1000, 30);
  // A single visit decides nothing, and is not left out for what it states.
  const store::Data visit = with_uncertainty(100'000, 300'000);
  const Summaries global = summarize_visits(visit, Runtime::kAuto, true);
  EXPECT_TRUE(global.local_cells.empty());
  EXPECT_EQ(global.visits.size(), 8U * 2 * 3);
  EXPECT_NEAR(median_of(global, 1), 2000, 60);
  // Where they are asked for they count, and are known to be uncertain.
  const Summaries asked_for = summarize_visits(arm, Runtime::kGlobal, true);
  EXPECT_EQ(asked_for.uncertain, (std::vector<ArmAndCell>{{.arm = 1, .cell = 1}}));
  EXPECT_NEAR(median_of(asked_for, 1), 2000, 60);
}

TEST(Summaries, CampaignsOfEarlierEnginesAreReadAsTheyWere) {
  store::Data data =
      with_global_times({}, [](std::uint32_t arm, std::uint32_t cell, std::uint32_t group) {
        return arm == 0 && cell == 1 && group == 3;
      });
  data.groups[0].launches[0].earlier_engine = true;
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_FALSE(summaries.global) << "one visit without global times made all of them local";
  EXPECT_TRUE(summaries.global_refused);
  EXPECT_EQ(summaries.visits.size(), 8U * 2 * 3);
}

TEST(Summaries, OneArmWithoutAStatedErrorMakesBothArmsLocal) {
  const auto of_one_arm = [](std::uint32_t arm, std::uint32_t cell, std::uint32_t) {
    return arm == 1 && cell == 2;
  };
  const store::Data data = with_global_times({}, of_one_arm, record::kErrorUnstated);
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_TRUE(summaries.global);
  EXPECT_EQ(summaries.local_cells, std::vector<std::uint32_t>{2});
  EXPECT_EQ(summaries.visits.size(), 8U * 2 * 3);
  EXPECT_NEAR(median_of(summaries, 0), 2000, 60);
  EXPECT_NEAR(median_of(summaries, 2), 1000, 30);
}

TEST(Summaries, CellsThatAreComparedWithEachOtherHaveOneKindOfRuntime) {
  const auto lacks = [](std::uint32_t, std::uint32_t cell, std::uint32_t) { return cell == 1; };
  const store::Data data = with_global_times({}, lacks);
  const Summaries all = summarize_visits(data, Runtime::kAuto, true, {}, true);
  EXPECT_FALSE(all.global);
  EXPECT_TRUE(all.global_refused);
  planted::Plan families;
  families.cells[0].family = families.cells[1].family = "ours";
  families.cells[2].family = "theirs";
  const store::Data of_families = with_global_times(families, lacks);
  EXPECT_EQ(summarize_visits(of_families, Runtime::kAuto, true).local_cells,
            (std::vector<std::uint32_t>{0, 1}));
}

TEST(LocalCells, AreThoseOfAnyArmWhoseMostVisitsLackGlobalTimes) {
  const std::vector<record::Cell> cells(4);
  const auto of = [&](const std::vector<GlobalVisits>& visits) {
    return local_cells_of(cells, visits, false);
  };
  using Cells = std::vector<std::uint32_t>;
  EXPECT_EQ(of({{.arm = 0, .cell = 2, .visits = 10, .lacking = 5}}), Cells{}) << "half";
  EXPECT_EQ(of({{.arm = 0, .cell = 2, .visits = 10, .lacking = 6}}), Cells{2});
  EXPECT_EQ(of({{.arm = 0, .cell = 2, .visits = 90, .lacking = 0},
                {.arm = 1, .cell = 2, .visits = 1, .lacking = 1}}),
            Cells{2})
      << "else the arm would have no time";
  EXPECT_EQ(local_cells_of(cells, {{.cell = 2, .visits = 1, .lacking = 1}}, true),
            (Cells{0, 1, 2, 3}));
}

TEST(Summaries, RuntimeIsLocalAfterABarrier) {
  const store::Data data = planted::data(one_launch());
  EXPECT_FALSE(summarize_visits(data, Runtime::kAuto, false).global);
  EXPECT_TRUE(summarize_visits(data, Runtime::kAuto, true).global);
}

// With 10 ns steps a plain median of 204 ns is 200 ns: 2 % would be hidden.
TEST(Summaries, GroupedMedianSeesBetweenTheStepsOfTheClock) {
  planted::Plan plan = one_launch();
  plan.repetitions = 2000;
  plan.time_ns = [](std::size_t, std::size_t) { return 204.0; };
  plan.step_ns = 10;
  plan.noise_sd = 0.04;
  const store::Data data = planted::data(plan);
  EXPECT_NEAR(summarize_visits(data, Runtime::kAuto, true).visits[0].median_ns, 204, 0.8);
}

TEST(Summaries, StepOfABatchIsPerCall) {
  planted::Plan plan = one_launch();
  plan.step_ns = 10;
  plan.calls = 20;
  const store::Data data = planted::data(plan);
  EXPECT_DOUBLE_EQ(summarize_visits(data, Runtime::kAuto, true).visits[0].step_ns, 0.5);
}

TEST(Summaries, ValuesWithinOneStepCountAsOneObservation) {
  planted::Plan plan = one_launch();
  plan.step_ns = 100;
  plan.noise_sd = 1e-4;
  const store::Data data = planted::data(plan);
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true);
  EXPECT_TRUE(summaries.visits[0].within_one_step);
  EXPECT_DOUBLE_EQ(summaries.visits[0].effective_count, 1);
}

TEST(Summaries, UnknownCellIsDamageAndNotAnotherCell) {
  store::Data data = planted::data(one_launch());
  data.groups[0].launches[0].visits[0].line.cell = 17;
  try {
    (void)summarize_visits(data, Runtime::kAuto, true);
    FAIL();
  } catch (const base::CommandError& error) {
    EXPECT_EQ(error.status(), base::Exit::kDamaged);
  }
}

}  // namespace
}  // namespace invar::analysis
