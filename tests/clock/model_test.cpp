#include "clock/model.hpp"

#include <gtest/gtest.h>

namespace invar::clock {
namespace {

constexpr std::int64_t kOneSecond = 1'000'000'000'000;

const Model kOwn{.at_ps = 1000 * kOneSecond, .offset_ps = 999 * kOneSecond + 7, .skew = 1.3e-5};
const Model kMiddle{.at_ps = 2 * kOneSecond, .offset_ps = -2000 * kOneSecond, .skew = -1.9e-5};
const Model kLast{.at_ps = 2003 * kOneSecond, .offset_ps = 17, .skew = 0.7e-5};

TEST(Model, OffsetOfAThousandSecondsKeepsPicosecondsOverHours) {
  const std::int64_t local = kOwn.at_ps + 7200 * kOneSecond;
  // 7200 s times 1.3e-5 is 93.6 ms, exactly.
  EXPECT_EQ(kOwn.difference_ps(local), kOwn.offset_ps + 93'600'000'000);
}

TEST(Model, InverseGivesTheLocalTimeBack) {
  for (const std::int64_t span : {std::int64_t{0}, std::int64_t{12345}, 3600 * kOneSecond}) {
    const std::int64_t local = kOwn.at_ps + span;
    EXPECT_NEAR(static_cast<double>(kOwn.to_local_ps(kOwn.to_reference_ps(local)) - local), 0, 1);
  }
}

TEST(Model, MergeIsComposition) {
  const Model merged = merge(kOwn, kMiddle);
  for (const std::int64_t span :
       {-kOneSecond, std::int64_t{0}, 10 * kOneSecond, 3600 * kOneSecond}) {
    const std::int64_t local = kOwn.at_ps + span;
    const std::int64_t direct = kMiddle.to_reference_ps(kOwn.to_reference_ps(local));
    EXPECT_NEAR(static_cast<double>(merged.to_reference_ps(local) - direct), 0, 3);
  }
}

TEST(Model, MergeIsEquationOneOfThePaper) {
  const Model merged = merge(kOwn, kMiddle);
  EXPECT_DOUBLE_EQ(merged.skew, kOwn.skew + kMiddle.skew - kOwn.skew * kMiddle.skew);
  const auto intercept = [](const Model& model) {
    return static_cast<long double>(model.offset_ps) -
           static_cast<long double>(model.skew) * static_cast<long double>(model.at_ps);
  };
  const long double expected = intercept(kOwn) + intercept(kMiddle) -
                               intercept(kOwn) * static_cast<long double>(kMiddle.skew);
  EXPECT_NEAR(static_cast<double>(intercept(merged) - expected), 0, 3);
}

TEST(Model, MergeIsAssociative) {
  const Model left = merge(merge(kOwn, kMiddle), kLast);
  const Model right = merge(kOwn, merge(kMiddle, kLast));
  const std::int64_t local = kOwn.at_ps + 60 * kOneSecond;
  EXPECT_NEAR(static_cast<double>(left.to_reference_ps(local) - right.to_reference_ps(local)), 0,
              3);
}

TEST(Model, MovingTheReferencePointChangesNothing) {
  const Model moved = kOwn.moved_to(kOwn.at_ps + 100 * kOneSecond);
  const std::int64_t local = kOwn.at_ps + 50 * kOneSecond;
  EXPECT_NEAR(static_cast<double>(moved.difference_ps(local) - kOwn.difference_ps(local)), 0, 1);
}

}  // namespace
}  // namespace invar::clock
