// Launches of an experiment with clocks, one after the other, of which some fail.
#include "driver/clock_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"

namespace invar::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Failed = std::vector<store::FailedClockLaunch>;

base::CommandError failure(const std::string& what) {
  return {base::Exit::kMeasurementFailed, {{.place = "mpich 4.0.2", .what = what}}};
}

class ClockRunTest : public testing::Test {
 protected:
  static ClockRun order(std::uint32_t launches, const std::vector<std::uint32_t>& ranks = {2}) {
    ClockRun run;
    run.spec.launches = launches;
    for (const std::uint32_t number : ranks) run.places.push_back({.ranks = number});
    return run;
  }

  // Attempts are counted from 1; the numbers of those that fail.
  Failed run_with(const ClockRun& run, const std::set<int>& failing) {
    const MeasureClockLaunch measure = [&](const ClockPlace& place, const record::ClockSpec&) {
      ++attempts_;
      if (failing.contains(attempts_)) throw failure("attempt " + std::to_string(attempts_));
      return "a\n" + std::to_string(attempts_) + (place.ranks == 2 ? "" : "0") + "\n";
    };
    return run_clocks(run,
                      {.add = [&](const std::string& rows) { given_.push_back(rows); },
                       .warn = [&](const std::string& text) { told_.push_back(text); }},
                      measure);
  }

  int attempts_ = 0;
  std::vector<std::string> given_ = {};
  std::vector<std::string> told_ = {};
};

TEST_F(ClockRunTest, RowsComeLaunchByLaunch) {
  EXPECT_EQ(run_with(order(2), {}), Failed());
  EXPECT_THAT(given_, ElementsAre("a,launch\n1,1\n", "2,2\n"));
}

TEST_F(ClockRunTest, WhatFailsIsStartedOnceMore) {
  EXPECT_EQ(run_with(order(2), {2}), Failed());
  EXPECT_THAT(given_, ElementsAre("a,launch\n1,1\n", "3,2\n"));
  EXPECT_THAT(told_, ElementsAre("launch 2 (2 ranks): mpich 4.0.2: attempt 2; it is started once "
                                 "more"));
}

TEST_F(ClockRunTest, WhatFailsTwiceIsLeftOutAndTheOthersAreMeasured) {
  const Failed failed = run_with(order(3), {2, 3});
  EXPECT_EQ(failed, (Failed{{.launch = 2, .ranks = 2, .what = "mpich 4.0.2: attempt 3"}}));
  EXPECT_THAT(given_, ElementsAre("a,launch\n1,1\n", "4,3\n"));
}

TEST_F(ClockRunTest, TheFirstLaunchMayFailAndTheHeaderIsThereAllTheSame) {
  EXPECT_EQ(run_with(order(2), {1, 2}).size(), 1);
  EXPECT_THAT(given_, ElementsAre("a,launch\n3,2\n"));
}

TEST_F(ClockRunTest, AfterTwoFailuresInARowNoMoreAreStarted) {
  const Failed failed = run_with(order(9), {2, 3, 4, 5});
  EXPECT_EQ(attempts_, 5);
  ASSERT_EQ(failed.size(), 2);
  EXPECT_THAT(failed[1].what, HasSubstr("; 6 launches after it, because two failed in a row, were "
                                        "not started"));
  EXPECT_THAT(given_, ElementsAre("a,launch\n1,1\n"));
}

TEST_F(ClockRunTest, ANumberOfRanksThatAlwaysFailsTakesNothingFromTheOthers) {
  const Failed failed = run_with(order(1, {2, 4}), {2, 3});
  EXPECT_EQ(failed, (Failed{{.launch = 1, .ranks = 4, .what = "mpich 4.0.2: attempt 3"}}));
  EXPECT_THAT(given_, ElementsAre("a,ranks\n1,2\n"));
}

TEST_F(ClockRunTest, WhereNothingIsMeasuredTheErrorIsTheLastLaunchs) {
  try {
    (void)run_with(order(5), {1, 2, 3, 4});
    FAIL() << "nothing was measured";
  } catch (const base::CommandError& error) {
    EXPECT_EQ(error.status(), base::Exit::kMeasurementFailed);
    EXPECT_THAT(error.what(), HasSubstr("attempt 4"));
  }
  EXPECT_EQ(attempts_, 4);
}

TEST_F(ClockRunTest, WhatMakesNoSenseIsNotTriedAgain) {
  int attempts = 0;
  const auto refuse_from = [&](int first) {
    attempts = 0;
    return run_clocks(order(3),
                      {.add = [](const std::string&) {}, .warn = [](const std::string&) {}},
                      [&](const ClockPlace&, const record::ClockSpec&) -> std::string {
                        if (++attempts >= first) throw base::UserError("--window", "is too short");
                        return "a\n1\n";
                      });
  };
  EXPECT_THROW((void)refuse_from(1), base::UserError);
  EXPECT_EQ(attempts, 1);
  EXPECT_EQ(refuse_from(2).size(), 2) << "what is measured already stays";
  EXPECT_EQ(attempts, 3);
}

// A file system that is gone for a moment throws something else.
TEST_F(ClockRunTest, WhateverALaunchThrowsItIsThatLaunchsFailure) {
  int attempts = 0;
  const Failed failed =
      run_clocks(order(2), {.add = [](const std::string&) {}, .warn = [](const std::string&) {}},
                 [&](const ClockPlace&, const record::ClockSpec&) {
                   if (++attempts > 1) throw std::runtime_error("no folder");
                   return std::string("a\n1\n");
                 });
  EXPECT_EQ(failed, (Failed{{.launch = 2, .ranks = 2, .what = "no folder"}}));
}

TEST_F(ClockRunTest, RowsThatCannotBeWrittenEndIt) {
  EXPECT_THROW((void)run_clocks(order(3),
                                {.add = [](const std::string&) { throw failure("disk full"); },
                                 .warn = [](const std::string&) {}},
                                [&](const ClockPlace&, const record::ClockSpec&) -> std::string {
                                  ++attempts_;
                                  return "a\n1\n";
                                }),
               base::CommandError);
  EXPECT_EQ(attempts_, 1);
}

}  // namespace
}  // namespace invar::driver
