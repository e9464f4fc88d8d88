// Where the fit of a curve breaks: what the driver is told.
#include "analysis/steps/size_breaks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "base/random.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

double normal_of(base::Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

// Sizes 100, 200, ..., each in one of three groups in turn, so that what groups have in common has
// to be told from the curve.
stats::SizeCurve curve_of(const std::function<double(double)>& time_ns, std::size_t sizes = 40,
                          double group_sd = 0.2) {
  constexpr std::size_t kGroups = 12;
  base::Random random(4);
  std::vector<double> luck;
  for (std::size_t group = 0; group < kGroups; ++group)
    luck.push_back(group_sd * normal_of(random));
  stats::SizeCurve curve;
  for (std::size_t i = 0; i < sizes; ++i) {
    stats::SizeTimes& size = curve.emplace_back();
    size.size = 100.0 * static_cast<double>(i + 1);
    size.log_times.resize(kGroups);
    for (std::size_t cycle = 0; cycle < kGroups / 3; ++cycle) {
      const std::size_t group = 3 * cycle + random.below(3);
      size.log_times[group] =
          std::log(time_ns(size.size)) + luck[group] + 0.003 * normal_of(random);
    }
  }
  return curve;
}

TEST(SizeBreaks, AreTheSizesOnBothSidesOfAJump) {
  const auto broken = [](double size) { return size <= 1500 ? 500 + size : 4000 + 0.5 * size; };
  EXPECT_THAT(size_breaks(curve_of(broken), {}), ElementsAre(SizeBreak{1500, 1600}));
}

TEST(SizeBreaks, OfAStraightCurveAreNoneWhateverGroupsHaveInCommon) {
  EXPECT_THAT(size_breaks(curve_of([](double size) { return 500 + size; }), {}), IsEmpty());
}

TEST(SizeBreaks, AscendWhereThereAreSeveral) {
  const auto broken = [](double size) {
    return size <= 1000 ? 500 + size : size <= 2500 ? 3000 + size : 12000 + 0.2 * size;
  };
  EXPECT_THAT(size_breaks(curve_of(broken), {}),
              ElementsAre(SizeBreak{1000, 1100}, SizeBreak{2500, 2600}));
}

TEST(SizeBreaks, OfDifferencesThatDoNotMatterAreNone) {
  const auto bent = [](double size) { return (500 + size) * (size <= 1500 ? 1.0 : 1.01); };
  EXPECT_THAT(size_breaks(curve_of(bent, 40, 0), {.min_effect = 0.02}), IsEmpty());
}

TEST(SizeBreaks, OfTooFewSizesAreNone) {
  const auto broken = [](double size) { return size <= 500 ? 100.0 : 1000.0; };
  EXPECT_THAT(size_breaks(curve_of(broken, 9), {}), IsEmpty());
  EXPECT_THAT(size_breaks({}, {}), IsEmpty());
  EXPECT_THAT(size_breaks(curve_of(broken, 10), {}), SizeIs(1));
}

}  // namespace
}  // namespace invar::analysis
