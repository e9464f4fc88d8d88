// What a foreign program prints, beside our own times: its steps forbid verdicts on less, and it is
// called by one name everywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "analysis/questions/show.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::HasSubstr;

// 0.267 us of ours, and `printed_ns` of a program that prints in steps of 0.020 us.
store::Data beside_a_program(double printed_ns) {
  planted::Plan plan;
  plan.arms = {"intel", "intel+IMB-MPI1"};
  plan.cells = {planted::cell("pingpong", 8)};
  plan.groups = 30;
  plan.rounds = 1;
  plan.group_sd = plan.launch_sd = plan.visit_sd = 0.005;
  plan.noise_sd = 0.001;
  plan.time_ns = [printed_ns](std::size_t arm, std::size_t) { return arm == 0 ? 267 : printed_ns; };
  store::Data data = planted::data(plan);
  data.arms[1].program = "IMB-MPI1 PingPong";
  for (store::Group& group : data.groups) {
    store::Launch& launch = group.launches[1];
    launch.printed_step_ns[0] = 20;
    launch.converted[0] = "half a round trip, times 2";
    for (store::Visit& visit : launch.visits) visit.program = true;
  }
  return data;
}

Comparison compared(const store::Data& data) {
  Rules rules;
  rules.pairing = Pairing::kLaunches;
  return compare(planted::study(data, rules));
}

TEST(PrintedTimes, DifferenceBelowTheirStepGetsNoVerdict) {
  const Comparison comparison = compared(beside_a_program(250));
  ASSERT_EQ(comparison.cells.size(), 1U);
  const ComparedCell& row = comparison.cells.front();
  EXPECT_EQ(row.verdict, stats::Verdict::kUndecided);
  EXPECT_THAT(comparison.sentence, HasSubstr("undecided, nearer than the steps in which programs"));
  EXPECT_LT(row.ratio_interval->low, 1);
  EXPECT_GT(row.ratio_interval->high, 1);
  EXPECT_LE(row.time_b->interval_ns->low, 250 / 1.08 + 0.5)
      << "what was printed may be off by a step";
  EXPECT_LT(row.time_a->interval_ns->high, 270) << "what we measured is not";
  std::vector<std::string> warnings = texts_of(comparison.warnings);
  EXPECT_THAT(warnings, Contains(HasSubstr("in steps of 0.020 us ('printed, times 2'), 8")));
  EXPECT_THAT(warnings, Contains(HasSubstr("no verdict rests on a smaller difference")));
  EXPECT_THAT(warnings, Contains(HasSubstr("no practicable number brings the intervals")));
}

// Launches bring one interval within 2 %, and none the one whose time is printed too coarsely.
TEST(PrintedTimes, TooCoarseForAnyNumberOfLaunchesAreNoneOfThoseThatANumberBrings) {
  planted::Plan plan;
  plan.arms = {"intel", "intel+IMB-MPI1"};
  plan.cells = {planted::cell("pingpong", 8), planted::cell("pingpong", 1024)};
  plan.groups = 4;
  plan.rounds = 1;
  plan.launch_sd = 0.03;
  plan.time_ns = [](std::size_t, std::size_t cell) { return cell == 0 ? 267.0 : 9000.0; };
  store::Data data = planted::data(plan);
  data.arms[1].program = "IMB-MPI1 PingPong";
  for (store::Group& group : data.groups) {
    for (const std::uint32_t cell : {0U, 1U}) group.launches[1].printed_step_ns[cell] = 20;
    for (store::Visit& visit : group.launches[1].visits) visit.program = true;
  }
  EXPECT_THAT(texts_of(compared(data).warnings),
              Contains(testing::MatchesRegex(
                  "2 of 2 comparisons undecided .* would bring 1 of 2 intervals within 2 % "
                  ".*1 KiB.*, and no practicable number the other one")));
}

TEST(PrintedTimes, LargerDifferencesHaveTheirVerdict) {
  const Comparison comparison = compared(beside_a_program(200));
  EXPECT_EQ(comparison.cells.at(0).verdict, stats::Verdict::kSlower);
}

TEST(PrintedTimes, HaveOneNameEverywhere) {
  const store::Data data = beside_a_program(250);
  const Comparison comparison = compared(data);
  EXPECT_EQ(comparison.cells.at(0).time_name_b, "printed, times 2");
  const Show shown = show(planted::study(data));
  ASSERT_EQ(shown.groups.size(), 2U);
  EXPECT_EQ(shown.groups[1].time, "printed, times 2");
  EXPECT_TRUE(shown.has_times);
  for (const Answer& answer : {answer_of(comparison), answer_of(shown)}) {
    for (const std::string& note : answer.notes) {
      EXPECT_THAT(note, testing::Not(HasSubstr("as printed")));
    }
  }
}

TEST(PrintedName, SaysHowTheNumberBecameATime) {
  EXPECT_EQ(printed_name(""), "printed");
  EXPECT_EQ(printed_name("half a round trip, times 2"), "printed, times 2");
  EXPECT_EQ(printed_name("Msg/sec: a call is 64 messages over it"), "printed, converted");
  EXPECT_FALSE(is_named("printed"));
  EXPECT_TRUE(is_named("printed, times 2"));
}

}  // namespace
}  // namespace invar::analysis
