// The list of steps that every process of a launch group derives from the plan.
#include "group/steps.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace invar::group {
namespace {

const std::vector<std::string> kArms{"a", "b"};
constexpr StepLimits kStepLimits{
    .warmup_repetitions = 20, .retry_cap = 2.0, .segment_repetitions = 1000};

record::PlanRow visit(const std::string& arm, std::uint32_t round, std::uint32_t block,
                      std::uint32_t repetitions) {
  record::PlanRow row;
  row.arm = arm;
  row.round = round;
  row.block = block;
  row.repetitions = repetitions;
  return row;
}

// "Pa Pb Va0 Vb1 Fa Fb": prepare, visit of a row, flush (T: track); arms in lower case.
std::string text(const Steps& steps) {
  std::string all;
  for (const Step& step : steps.steps) {
    all += all.empty() ? "" : " ";
    all += "PVFT"[static_cast<std::size_t>(step.kind)];
    all += kArms.at(step.arm);
    if (step.kind == StepKind::kVisit) all += std::to_string(step.row);
  }
  return all;
}

TEST(Steps, VisitsComeInThePlansOrderBetweenPrepareAndFlushOfEveryArm) {
  const std::vector rows{visit("a", 0, 0, 10), visit("b", 0, 0, 10), visit("b", 0, 1, 10),
                         visit("a", 0, 1, 10)};
  EXPECT_EQ(text(make_steps(rows, kArms, kStepLimits)), "Pa Pb Va0 Vb1 Vb2 Va3 Fa Fb");
}

TEST(Steps, ClocksThatDifferAreLookedAtBetweenBlocks) {
  StepLimits limits = kStepLimits;
  limits.track = true;
  const std::vector rows{visit("a", 0, 0, 10), visit("b", 0, 0, 10), visit("b", 0, 1, 600),
                         visit("a", 0, 1, 10), visit("a", 1, 0, 10)};
  // A flush looks at them itself.
  EXPECT_EQ(text(make_steps(rows, kArms, limits)), "Pa Pb Va0 Vb1 Ta Tb Vb2 Va3 Fa Fb Va4 Fa Fb");
}

TEST(Steps, NoVisitsStillPrepareAndFlush) {
  const Steps steps = make_steps({}, kArms, kStepLimits);
  EXPECT_EQ(text(steps), "Pa Pb Fa Fb");
  EXPECT_EQ(steps.segment_capacity, 0U);
}

TEST(Steps, VisitMayNeedWarmUpAndEveryRetry) {
  EXPECT_EQ(visit_capacity(visit("a", 0, 0, 100), kStepLimits), 220U);
  StepLimits uneven = kStepLimits;
  uneven.retry_cap = 1.5;
  EXPECT_EQ(visit_capacity(visit("a", 0, 0, 101), uneven), 172U);  // 151.5 repetitions are 152
}

TEST(Steps, OfAFewRepetitionsAllMayBeRepeatedSeveralTimes) {
  EXPECT_EQ(visit_capacity(visit("a", 0, 0, 3), kStepLimits), 20U + 3 + 16);
  StepLimits never = kStepLimits;
  never.retry_cap = 1;
  EXPECT_EQ(visit_capacity(visit("a", 0, 0, 3), never), 23U);
  EXPECT_EQ(measured_capacity(visit("a", 0, 0, 3), never), 3U) << "however short the warm-up is";
}

TEST(Steps, FullSegmentIsFlushedAtTheEndOfTheBlockAndNeverInsideIt) {
  // a is full after its first visit (20 + 2 * 600), but the block ends with b's.
  const std::vector rows{visit("a", 0, 0, 600), visit("b", 0, 0, 10), visit("b", 0, 1, 10),
                         visit("a", 0, 1, 10)};
  EXPECT_EQ(text(make_steps(rows, kArms, kStepLimits)), "Pa Pb Va0 Vb1 Fa Fb Vb2 Va3 Fa Fb");
}

TEST(Steps, SegmentThatIsNotFullIsNotFlushed) {
  const std::vector rows{visit("a", 0, 0, 489), visit("a", 0, 1, 1)};  // 998, then 1035
  EXPECT_EQ(text(make_steps(rows, kArms, kStepLimits)), "Pa Pb Va0 Va1 Fa Fb");
}

TEST(Steps, SameBlockNumberInTheNextRoundIsAnotherBlock) {
  const std::vector rows{visit("a", 0, 0, 600), visit("a", 1, 0, 10)};
  EXPECT_EQ(text(make_steps(rows, kArms, kStepLimits)), "Pa Pb Va0 Fa Fb Va1 Fa Fb");
}

TEST(Steps, FullSegmentAtTheVeryEndIsFlushedOnce) {
  EXPECT_EQ(text(make_steps(std::vector{visit("a", 0, 0, 600)}, kArms, kStepLimits)),
            "Pa Pb Va0 Fa Fb");
}

TEST(Steps, CapacityIsTheLargestSegmentOfOneArm) {
  const std::vector rows{visit("a", 0, 0, 600), visit("b", 0, 0, 700), visit("a", 0, 1, 100),
                         visit("b", 0, 1, 100), visit("b", 0, 2, 100)};
  // Flushed after block 0; then a has 220, b 220 + 220.
  EXPECT_EQ(make_steps(rows, kArms, kStepLimits).segment_capacity, 20U + 2 * 700);
  const std::vector last_is_largest{visit("a", 0, 0, 100), visit("a", 0, 1, 100)};
  EXPECT_EQ(make_steps(last_is_largest, kArms, kStepLimits).segment_capacity, 440U);
}

TEST(Steps, ArmThatIsNotInTheGroupIsRefusedByName) {
  try {
    make_steps(std::vector{visit("c", 0, 0, 1)}, kArms, kStepLimits);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "arm 'c' takes no part in this group");
  }
}

}  // namespace
}  // namespace invar::group
