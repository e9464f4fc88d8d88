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
