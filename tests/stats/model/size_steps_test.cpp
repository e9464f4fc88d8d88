// What fresh groups say of the places where a curve seemed to jump or to bend.
#include "stats/model/size_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "base/random.hpp"

namespace invar::stats {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

double plain(double size) { return 200 + 0.1 * size; }
double jumping(double size) { return plain(size) * (size > 700 ? 1.3 : 1.0); }
double bending(double size) { return plain(size) + (size > 704 ? 2 * (size - 704) : 0.0); }

SizeCurve fresh(const std::vector<double>& sizes, const std::function<double(double)>& time,
                std::size_t groups = 12, std::uint64_t seed = 1) {
  base::Random random(seed);
  SizeCurve curve;
  for (const double size : sizes) curve.push_back({.size = size});
  for (std::size_t i = 0; i < groups; ++i) {
    const double shared = 0.2 * random.uniform();
    for (SizeTimes& times : curve) {
      times.log_times.emplace_back(std::log(time(times.size)) + shared +
                                   0.01 * (random.uniform() - 0.5));
    }
  }
  return curve;
}

const std::vector<double> kFine{512, 640, 672, 696, 700, 704, 720, 768, 1024};

StepEstimate judged(const SizeCurve& curve, const SizeBracket& bracket) {
  StepEstimate step = estimate_steps(curve, std::span(&bracket, 1), 0.05).front();
  judge_steps(std::span(&step, 1), {}, 0.05);
  return step;
}

TEST(SizeSteps, StepHasItsHeightWithAnInterval) {
  const StepEstimate step = judged(fresh(kFine, jumping), {0, 700, 704});
  EXPECT_TRUE(step.is_step);
  EXPECT_THAT(step.heights, SizeIs(12));
  EXPECT_NEAR(step.log_height, std::log(1.3), 0.01);
  ASSERT_TRUE(step.interval);
  EXPECT_LT(step.interval->low, std::log(1.3));
  EXPECT_GT(step.interval->high, std::log(1.3));
  EXPECT_LT(*step.p_adjusted, 1e-6);
}

TEST(SizeSteps, NeighbouringSizesWithoutAJumpHaveNone) {
  const StepEstimate step = judged(fresh(kFine, jumping), {0, 720, 768});
  EXPECT_FALSE(step.is_step);
}

TEST(SizeSteps, BendIsNoStepHoweverSteep) {
  const SizeCurve curve = fresh(kFine, bending);
  EXPECT_FALSE(judged(curve, {0, 700, 704}).is_step);
  EXPECT_FALSE(judged(curve, {0, 704, 720}).is_step);
  EXPECT_FALSE(judged(curve, {0, 696, 700}).is_step);
}

TEST(SizeSteps, JumpWithinTheToleranceIsNoneHoweverSure) {
  const SizeCurve curve =
      fresh(kFine, [](double size) { return plain(size) * (size > 700 ? 1.03 : 1.0); });
  StepEstimate step = judged(curve, {0, 700, 704});
  EXPECT_LT(*step.p_adjusted, 0.01);
  EXPECT_FALSE(step.is_step);
  step.tolerance = 0.02;
  judge_steps(std::span(&step, 1), {}, 0.05);
  EXPECT_TRUE(step.is_step);
}

// At the end of a curve a line from one side alone cannot tell a bend from a jump.
TEST(SizeSteps, WideEndOfACurveIsNotJudged) {
  const SizeCurve curve = fresh({256, 512, 768}, jumping);
  EXPECT_EQ(judged(curve, {0, 512, 768}).p, std::nullopt);
  EXPECT_THAT(judged(curve, {0, 512, 768}).heights, IsEmpty());
  // A line that is long beside it can.
  EXPECT_TRUE(judged(fresh({512, 640, 690, 700, 701}, jumping), {0, 700, 701}).is_step);
}

TEST(SizeSteps, LineDoesNotGoThroughAnotherJump) {
  const auto twice = [](double size) { return jumping(size) * (size > 720 ? 1.5 : 1.0); };
  const std::vector<double> sizes{512, 640, 692, 700, 704, 712, 720, 724, 732, 768, 1024};
  const std::vector<SizeBracket> both{{0, 700, 704}, {0, 720, 724}};
  std::vector<StepEstimate> steps = estimate_steps(fresh(sizes, twice), both, 0.05);
  judge_steps(steps, {}, 0.05);
  EXPECT_TRUE(steps[0].is_step);
  EXPECT_TRUE(steps[1].is_step);
  EXPECT_NEAR(steps[0].log_height, std::log(1.3), 0.02);
  EXPECT_NEAR(steps[1].log_height, std::log(1.5), 0.02);
}

// One that was chosen and jumps no more keeps no line away from its neighbour.
TEST(SizeSteps, BracketWithoutAJumpIsInNobodysWay) {
  const std::vector<SizeBracket> both{{0, 700, 704}, {0, 704, 720}};
  std::vector<StepEstimate> steps = estimate_steps(fresh(kFine, jumping), both, 0.05);
  judge_steps(steps, {}, 0.05);
  EXPECT_TRUE(steps[0].is_step);
  EXPECT_FALSE(steps[1].is_step);
}

TEST(SizeSteps, SizesInsideABracketAreNotAskedFor) {
  EXPECT_TRUE(judged(fresh(kFine, jumping), {0, 696, 704}).is_step);
}

TEST(SizeSteps, OneGroupJudgesNothing) {
  const StepEstimate step = judged(fresh(kFine, jumping, 1), {0, 700, 704});
  EXPECT_EQ(step.p, std::nullopt);
  EXPECT_FALSE(step.is_step);
  EXPECT_EQ(step.interval, std::nullopt);
}

TEST(SizeSteps, BendHasTheSlopesOnBothSides) {
  BendEstimate bend = estimate_bend(fresh(kFine, bending), {0, 640, 704, 768}, 0.05);
  judge_steps({}, std::span(&bend, 1), 0.05);
  EXPECT_TRUE(bend.is_bend);
  EXPECT_LT(bend.deviation, -0.05) << "the curve grows faster behind it";
  EXPECT_NEAR(bend.slope_below, 0.1, 0.05);
  EXPECT_NEAR(bend.slope_above, 2.1, 0.2);
}

TEST(SizeSteps, WhereAStepIsThereIsNoBend) {
  const SizeCurve curve = fresh(kFine, jumping);
  StepEstimate step = judged(curve, {0, 700, 704});
  BendEstimate bend = estimate_bend(curve, {0, 672, 704, 768}, 0.05);
  judge_steps(std::span(&step, 1), std::span(&bend, 1), 0.05);
  EXPECT_TRUE(step.is_step);
  EXPECT_LT(*bend.p_adjusted, 0.01);
  EXPECT_FALSE(bend.is_bend);
  bend.curve = 1;
  judge_steps(std::span(&step, 1), std::span(&bend, 1), 0.05);
  EXPECT_TRUE(bend.is_bend) << "the step is another curve's";
}

// Without the correction one in twenty of what is asked would be claimed.
TEST(SizeSteps, ManyQuestionsAreCorrectedTogether) {
  constexpr int kCurves = 200;
  int corrected = 0;
  int alone = 0;
  for (int i = 0; i < kCurves; ++i) {
    const SizeCurve curve = fresh(kFine, plain, 8, static_cast<std::uint64_t>(100 + i));
    std::vector<SizeBracket> brackets;
    for (std::size_t k = 1; k + 2 < kFine.size(); ++k) {
      brackets.push_back({0, kFine[k], kFine[k + 1]});
    }
    std::vector<StepEstimate> steps = estimate_steps(curve, brackets, 1e-6);
    for (const StepEstimate& step : steps) alone += step.p && *step.p <= 0.05 ? 1 : 0;
    judge_steps(steps, {}, 0.05);
    corrected += std::ranges::any_of(steps, &StepEstimate::is_step) ? 1 : 0;
  }
  EXPECT_LT(corrected, kCurves * 8 / 100);
  EXPECT_GT(alone, corrected);
}

TEST(SizeSteps, SizesThatAreNotOfTheCurveAreRefused) {
  const SizeCurve curve = fresh(kFine, plain);
  const SizeBracket none{0, 700, 705};
  EXPECT_THROW((void)estimate_steps(curve, std::span(&none, 1), 0.05), std::invalid_argument);
  EXPECT_THROW((void)estimate_bend(curve, {0, 640, 705, 768}, 0.05), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
