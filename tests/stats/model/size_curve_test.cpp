// What neighbouring sizes say of a curve's shape, group by group.
#include "stats/model/size_curve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

namespace invar::stats {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

// The same in every group, each of which takes another time for everything.
SizeCurve measured(const std::vector<double>& sizes, const std::function<double(double)>& time,
                   const std::vector<double>& shared = {0.0, 0.3, -0.2}) {
  SizeCurve curve;
  for (const double size : sizes) {
    SizeTimes& times = curve.emplace_back();
    times.size = size;
    for (const double of_group : shared) times.log_times.push_back(std::log(time(size)) + of_group);
  }
  return curve;
}

double line(double size) { return 200 + 0.5 * size; }
double with_step(double size) { return line(size) * (size > 150 ? 1.2 : 1.0); }
double with_bend(double size) { return line(size) + (size > 150 ? 2 * (size - 150) : 0.0); }

TEST(SizeCurve, MiddleOfALineIsOnItWhateverTheGroupDoes) {
  const SizeCurve curve = measured({100, 150, 400}, line);
  EXPECT_THAT(present(deviations_from_line(curve, 0, 1, 2)), testing::Each(DoubleNear(0, 1e-12)));
}

TEST(SizeCurve, MiddleBelowAStepIsBelowTheLineAndTheOneBehindItAbove) {
  const SizeCurve curve = measured({100, 150, 200, 250}, with_step);
  // Half of the jump, against a line that goes through it: 275 ns instead of (250 + 360) / 2.
  EXPECT_NEAR(*deviations_from_line(curve, 0, 1, 2).front(), std::log(275.0 / 305.0), 1e-12);
  EXPECT_GT(*deviations_from_line(curve, 1, 2, 3).front(), 0.05);
}

TEST(SizeCurve, StepJumpsByItsHeightFromBothSides) {
  const SizeCurve curve = measured({100, 150, 200, 250}, with_step);
  // The line from below reaches 300 ns at 200 B, which take 360; back from above it is 330 at 150 B
  // instead of 275.
  EXPECT_THAT(jumps_from_below(curve, 0, 1, 2),
              testing::Each(Optional(DoubleNear(std::log(1.2), 1e-12))));
  EXPECT_THAT(jumps_from_above(curve, 1, 2, 3),
              testing::Each(Optional(DoubleNear(std::log(1.2), 1e-12))));
}

TEST(SizeCurve, BendPointsInTwoDirectionsAndSoIsNoJump) {
  const SizeCurve curve = measured({100, 140, 180, 220}, with_bend);
  const double from_below = *jumps_from_below(curve, 0, 1, 2).front();
  const double from_above = *jumps_from_above(curve, 1, 2, 3).front();
  EXPECT_GT(from_below, 0.1);
  EXPECT_LT(from_above, 0);
  EXPECT_EQ(agreed(from_below, from_above), 0);
  EXPECT_EQ(agreed(0.1, 0.2), 0.1);
  EXPECT_EQ(agreed(-0.1, -0.2), -0.1);
}

TEST(SizeCurve, GroupThatLacksASizeSaysNothing) {
  SizeCurve curve = measured({100, 150, 200, 250}, with_step);
  curve[2].log_times[1].reset();
  EXPECT_THAT(deviations_from_line(curve, 0, 1, 2), SizeIs(3));
  EXPECT_EQ(deviations_from_line(curve, 0, 1, 2)[1], std::nullopt);
  EXPECT_THAT(present(deviations_from_line(curve, 0, 1, 2)), SizeIs(2));
  EXPECT_EQ(jumps_from_below(curve, 0, 1, 2)[1], std::nullopt);
}

TEST(SizeCurve, LineThatMeetsZeroSaysNothing) {
  const SizeCurve falling =
      measured({100, 200, 400}, [](double size) { return size < 150 ? 1000.0 : 100.0; });
  EXPECT_THAT(present(jumps_from_below(falling, 0, 1, 2)), IsEmpty());
}

TEST(SizeCurve, LinesAreAsLongAsWhatTheyCrossWithinAFactorOfTwo) {
  const SizeCurve curve = measured({8, 90, 96, 100, 110, 112, 300, 1000}, line);
  EXPECT_THAT(size_before(curve, 3, 4), Optional(1U)) << "96 is nearer than 110 is";
  EXPECT_THAT(size_behind(curve, 3, 4), Optional(5U)) << "300 is beyond twice as much";
  EXPECT_THAT(size_before(curve, 3, 4, 2), Optional(1U)) << "nothing farther within a factor";
  EXPECT_THAT(size_before(curve, 4, 5, 4), Optional(3U)) << "100 is 10 from 110, 2 to 112";
  EXPECT_THAT(size_before(curve, 1, 2), Optional(0U)) << "none within a factor: the neighbour";
  EXPECT_EQ(size_before(curve, 0, 1), std::nullopt);
  EXPECT_EQ(size_behind(curve, 6, 7), std::nullopt);
}

TEST(SizeCurve, IndicesThatDoNotAscendAreRefused) {
  const SizeCurve curve = measured({1, 2, 3}, line);
  EXPECT_THROW((void)deviations_from_line(curve, 0, 0, 1), std::invalid_argument);
  EXPECT_THROW((void)deviations_from_line(curve, 0, 1, 3), std::invalid_argument);
  EXPECT_THROW((void)jumps_from_below(curve, 1, 0, 2), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
