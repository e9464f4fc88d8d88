#include "driver/run/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::driver {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProgressLine, SaysHowFarHowLongAndWhatTheMachineDoes) {
  const Progress::Now now{.done = 12,
                          .planned = 38,
                          .at_least = 3,
                          .elapsed_s = 17,
                          .group_s = 1.5,
                          .late_share = 0.002,
                          .canary_ns = {300, 268, 231, 268, 312},
                          .regimes = "one regime"};
  EXPECT_EQ(progress_line(now),
            "  group 12 of 38   17 s, about 39 s left   late 0.2 %   canary 268 ns [231, 300], one "
            "regime");
}

// One rank a host has no cache line to send.
TEST(ProgressLine, AChainIsCalledSo) {
  EXPECT_THAT(progress_line({.done = 1,
                             .at_least = 3,
                             .canary_ns = {1004, 1000, 1031},
                             .canary = base::CanaryKind::kChain}),
              HasSubstr("   chain 1004 ns ["));
}

TEST(ProgressLine, WithoutADecisionThereIsNoEndInSight) {
  const std::string line =
      progress_line({.done = 1, .at_least = 3, .elapsed_s = 2, .group_s = 1, .canary_ns = {250}});
  EXPECT_THAT(line, HasSubstr("group 1 of at least 3"));
  EXPECT_THAT(line, Not(HasSubstr("left")));
}

TEST(ProgressLine, TimeLeftIsThatOfTheGroupsLeft) {
  Progress::Now now{.done = 10, .planned = 20, .elapsed_s = 100, .group_s = 12};
  EXPECT_THAT(progress_line(now), HasSubstr("about 2 min left"));
  now.done = 20;
  EXPECT_THAT(progress_line(now), Not(HasSubstr("left"))) << "it is the last one";
}

// What is not known is not shown as 0.
TEST(ProgressLine, NothingMeasuredShowsNoNumbers) {
  EXPECT_EQ(progress_line({.planned = 5}), "  group 0 of 5   0.0 s");
}

TEST(ProgressLine, RangeOfTheCanaryLeavesOutSingleOutliers) {
  Progress::Now now{.done = 1, .planned = 1, .canary_ns = std::vector<double>(100, 270)};
  now.canary_ns[3] = 90000;
  now.canary_ns[50] = 1;
  EXPECT_THAT(progress_line(now), HasSubstr("canary 270 ns [270, 270]"));
}

TEST(ProgressOutput, JobLogGetsALineEachWithoutControlCharacters) {
  testing::internal::CaptureStderr();
  Progress progress;  // stderr is a file now
  progress.show({.done = 1, .planned = 2});
  progress.renew({.done = 1, .planned = 2});  // no group more
  progress.say("invar: group 2 failed");
  progress.show({.done = 2, .planned = 2});
  progress.finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "  group 1 of 2   0.0 s   late 0.0 %\n"
            "invar: group 2 failed\n"
            "  group 2 of 2   0.0 s   late 0.0 %\n");
}

}  // namespace
}  // namespace invar::driver
