// Steps and bends that are known, in noise that was measured: what is found of them, and what the
// rules of SKaMPI and mpptest find. bench/sizes.cpp prints the same of more seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "stats/model/simulated_sizes.hpp"

namespace invar::stats {
namespace {

using simulated::Ordered;

constexpr double kTolerance = 0.02;
constexpr double kBracket = 0.05;

simulated::GroupNoise noise_of(const std::string& library) {
  return simulated::GroupNoise(std::string(INVAR_GOLDEN_DIR) + "/aa_groups/" + library + ".csv");
}

Ordered ordered(RefiningRule rule = RefiningRule::kInvar) {
  Ordered order;
  order.how.rule = rule;
  order.how.tolerance = kTolerance;
  order.how.separation_share = kBracket / 2;
  return order;
}

class SimulatedSizes : public testing::TestWithParam<std::string> {};

// A dense sweep would take 400 sizes and 30 groups.
TEST_P(SimulatedSizes, FiveStepsAreBracketedByAQuarterOfADenseSweep) {
  const simulated::GroupNoise noise = noise_of(GetParam());
  constexpr int kSeeds = 100;
  int whole = 0;
  int false_steps = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    base::Random random(seed);
    const simulated::TrueCurve truth = simulated::drawn_curve(5, random);
    const simulated::Found found = simulated::Campaign(truth, noise, ordered(), random).run();
    EXPECT_LE(found.sizes, 100U) << seed;
    EXPECT_LE(found.choosing + static_cast<double>(found.judging), 30) << seed;
    whole += std::ranges::all_of(truth.jumps,
                                 [&](const simulated::Jump& jump) {
                                   return simulated::is_bracketed(found, jump, kBracket);
                                 })
                 ? 1
                 : 0;
    for (const StepEstimate& step : found.steps) {
      false_steps += std::ranges::none_of(
                         truth.jumps,
                         [&](const simulated::Jump& jump) { return simulated::holds(step, jump); })
                         ? 1
                         : 0;
    }
  }
  EXPECT_GE(whole, 95);
  EXPECT_LE(false_steps, 8) << "of 500 steps";
}

TEST_P(SimulatedSizes, SmoothCurvesHaveSeldomAStep) {
  const simulated::GroupNoise noise = noise_of(GetParam());
  constexpr int kSeeds = 300;
  int wrong = 0;
  double sizes = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    base::Random random(10'000 + seed);
    const simulated::TrueCurve truth = simulated::drawn_smooth_curve(random);
    const simulated::Found found = simulated::Campaign(truth, noise, ordered(), random).run();
    wrong += found.steps.empty() ? 0 : 1;
    sizes += static_cast<double>(found.sizes) / kSeeds;
  }
  EXPECT_LE(wrong, kSeeds * 66 / 1000);
  EXPECT_LT(sizes, 45) << "40 to begin with";
}

// The choice and the judgement are of different groups: of the same ones the choice shows in the
// result.
TEST_P(SimulatedSizes, OtherRulesAddSizesWhereThereIsNoiseAlone) {
  const simulated::GroupNoise noise = noise_of(GetParam());
  constexpr int kSeeds = 10;
  for (const RefiningRule rule : {RefiningRule::kSkampi, RefiningRule::kMpptest}) {
    double sizes = 0;
    int whole = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      base::Random random(20'000 + seed);
      const simulated::TrueCurve smooth = simulated::drawn_smooth_curve(random);
      sizes += static_cast<double>(
                   simulated::Campaign(smooth, noise, ordered(rule), random).run().sizes) /
               kSeeds;
      const simulated::TrueCurve truth = simulated::drawn_curve(5, random);
      const simulated::Found found = simulated::Campaign(truth, noise, ordered(rule), random).run();
      whole += std::ranges::all_of(truth.jumps,
                                   [&](const simulated::Jump& jump) {
                                     return simulated::is_between_neighbours(found, jump, kBracket);
                                   })
                   ? 1
                   : 0;
    }
    EXPECT_GT(sizes, 90) << "all that they may have";
    EXPECT_LE(whole, kSeeds / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, SimulatedSizes, testing::Values("openmpi", "mpich"),
                         [](const auto& library) { return library.param; });

}  // namespace
}  // namespace invar::stats
