#include "stats/decide/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "stats/golden.hpp"

namespace invar::stats {
namespace {

constexpr DecisionRule kRule{.alpha = 0.05, .min_effect = 0.02};

Evidence evidence(double ratio, double low, double high, double p_adjusted) {
  return {.ratio_a_to_b = ratio,
          .plain_interval = Interval{low, high, 0.95},
          .p_adjusted = p_adjusted,
          .launches = 10,
          .resolution = 0.0};
}

TEST(Decide, AInTwoThirdsOfTheTimeIsFaster) {
  EXPECT_EQ(decide(evidence(0.67, 0.65, 0.69, 1e-6), kRule), Verdict::kFaster);
}

TEST(Decide, AInMoreTimeIsSlower) {
  EXPECT_EQ(decide(evidence(1.3, 1.27, 1.33, 1e-6), kRule), Verdict::kSlower);
}

TEST(Decide, LargePIsUndecidedAndNeverEqual) {
  EXPECT_EQ(decide(evidence(1.1, 0.9, 1.3, 0.4), kRule), Verdict::kUndecided);
}

TEST(Decide, PExactlyAtAlphaIsDecided) {
  EXPECT_EQ(decide(evidence(1.1, 1.0, 1.2, 0.05), kRule), Verdict::kSlower);
  EXPECT_EQ(decide(evidence(1.1, 1.0, 1.2, std::nextafter(0.05, 1.0)), kRule), Verdict::kUndecided);
}

TEST(Decide, IntervalInsideTheMinEffectIsEquivalent) {
  EXPECT_EQ(decide(evidence(1.0, 0.99, 1.01, 0.9), kRule), Verdict::kEquivalent);
}

TEST(Decide, EquivalentComesBeforeASmallSignificantDifference) {
  EXPECT_EQ(decide(evidence(1.01, 1.005, 1.015, 1e-6), kRule), Verdict::kEquivalent);
}

TEST(Decide, IntervalThatTouchesTheBoundIsStillInside) {
  EXPECT_EQ(decide(evidence(1.0, 1.0 / 1.02, 1.02, 0.9), kRule), Verdict::kEquivalent);
  EXPECT_EQ(decide(evidence(1.0, 0.99, 1.0201, 0.9), kRule), Verdict::kUndecided);
  EXPECT_EQ(decide(evidence(1.0, 0.98, 1.01, 0.9), kRule), Verdict::kUndecided);
}

TEST(Decide, ExchangedArmsGiveTheMirroredVerdict) {
  for (const double ratio : {0.9, 0.981, 0.985, 1.0, 1.015, 1.019, 1.1}) {
    const Verdict ahead = decide(evidence(ratio, ratio * 0.999, ratio * 1.001, 0.01), kRule);
    const Verdict back =
        decide(evidence(1 / ratio, 1 / (ratio * 1.001), 1 / (ratio * 0.999), 0.01), kRule);
    const Verdict mirrored = back == Verdict::kFaster   ? Verdict::kSlower
                             : back == Verdict::kSlower ? Verdict::kFaster
                                                        : back;
    EXPECT_EQ(ahead, mirrored) << ratio;
  }
}

TEST(Decide, ClockCoarserThanTheMinEffectForbidsEquivalent) {
  Evidence coarse = evidence(1.0, 0.999, 1.001, 0.9);
  coarse.resolution = 0.03;
  EXPECT_EQ(decide(coarse, kRule), Verdict::kUndecided);
  coarse.resolution = 0.02;
  EXPECT_EQ(decide(coarse, kRule), Verdict::kEquivalent);
}

TEST(Decide, SingleLaunchNeverYieldsAVerdict) {
  Evidence single = evidence(0.5, 0.499, 0.501, 1e-12);
  single.launches = 1;
  EXPECT_EQ(decide(single, kRule), Verdict::kUndecided);
  single = evidence(1.0, 0.999, 1.001, 0.9);
  single.launches = 1;
  EXPECT_EQ(decide(single, kRule), Verdict::kUndecided);
}

TEST(Decide, WithoutPOrIntervalNothingIsClaimed) {
  EXPECT_EQ(decide({.ratio_a_to_b = 0.5, .launches = 5}, kRule), Verdict::kUndecided);
  EXPECT_EQ(decide({.ratio_a_to_b = 0.5, .plain_interval = Interval{0.4, 0.6, 0.95}, .launches = 5},
                   kRule),
            Verdict::kUndecided);
}

TEST(Decide, MinEffectZeroNeverSaysEquivalent) {
  EXPECT_EQ(decide(evidence(1.0, 0.9999, 1.0001, 0.9), {.alpha = 0.05, .min_effect = 0.0}),
            Verdict::kUndecided);
}

TEST(Decide, InvalidEvidenceThrows) {
  EXPECT_THROW(decide(evidence(0.0, 0.9, 1.1, 0.5), kRule), std::invalid_argument);
  EXPECT_THROW(decide(evidence(golden::kNaN, 0.9, 1.1, 0.5), kRule), std::invalid_argument);
  EXPECT_THROW(decide(evidence(1.0, 1.1, 0.9, 0.5), kRule), std::invalid_argument);
  EXPECT_THROW(decide(evidence(1.0, golden::kNaN, 1.1, 0.5), kRule), std::invalid_argument);
  EXPECT_THROW(decide(evidence(1.0, 0.9, 1.1, 1.5), kRule), std::invalid_argument);
  EXPECT_THROW(decide(evidence(1.0, 0.9, 1.1, golden::kNaN), kRule), std::invalid_argument);
  EXPECT_THROW(decide(evidence(1.0, 0.9, 1.1, 0.5), {.alpha = 0.0}), std::invalid_argument);
  EXPECT_THROW(decide(evidence(1.0, 0.9, 1.1, 0.5), {.min_effect = -0.1}), std::invalid_argument);
}

TEST(Verdict, NamesAreTheWordsOfTheReport) {
  EXPECT_EQ(to_string(Verdict::kEquivalent), "equivalent");
  EXPECT_EQ(to_string(Verdict::kFaster), "faster");
  EXPECT_EQ(to_string(Verdict::kSlower), "slower");
  EXPECT_EQ(to_string(Verdict::kUndecided), "undecided");
}

TEST(RelativeResolution, TenNanosecondStepsAtTwoHundredNanoseconds) {
  EXPECT_NEAR(relative_resolution(10.0, 1.0, 200.0), 2.0 * 10.0 / std::sqrt(12.0) / 200.0, 1e-15);
  EXPECT_NEAR(relative_resolution(10.0, 100.0, 200.0), 0.00289, 1e-5);
  EXPECT_EQ(relative_resolution(0.0, 5.0, 200.0), 0.0);
  EXPECT_DOUBLE_EQ(ratio_resolution(0.03, 0.04), 0.05);
  EXPECT_THROW(relative_resolution(10.0, 1.0, 0.0), std::invalid_argument);
  EXPECT_THROW(relative_resolution(10.0, 0.0, 1.0), std::invalid_argument);
  EXPECT_THROW(ratio_resolution(-1.0, 0.0), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
