#include "stats/model/interactions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {
namespace {

// Two factors of two levels, and one of three, all crossed.
std::vector<FactorLevels> crossed() {
  std::vector<FactorLevels> combinations;
  for (std::uint32_t a = 0; a < 2; ++a) {
    for (std::uint32_t b = 0; b < 2; ++b) {
      for (std::uint32_t c = 0; c < 3; ++c) combinations.push_back({a, b, c});
    }
  }
  return combinations;
}

// Without what is at the second level of the first factor and the third of the last.
std::vector<FactorLevels> with_gaps() {
  std::vector<FactorLevels> combinations = crossed();
  std::erase_if(combinations, [](const FactorLevels& one) { return one[0] == 1 && one[2] == 2; });
  return combinations;
}

double additive(const FactorLevels& levels) {
  return 0.5 * levels[0] + 0.1 * levels[1] - 0.7 * levels[2];
}

// Mean estimate over many campaigns of 4 launch groups. In each group every level of the first
// factor is a launch with luck of its own, that all its combinations share.
double mean_estimate(const std::vector<FactorLevels>& combinations,
                     const std::function<double(const FactorLevels&)>& effect) {
  base::Random random(5);
  const auto gaussian = [&random] {
    return normal_quantile(0.5e-12 + (1 - 1e-12) * random.uniform());
  };
  constexpr int kCampaigns = 400;
  double sum = 0;
  for (int campaign = 0; campaign < kCampaigns; ++campaign) {
    BlockedValues values(4);
    for (std::vector<double>& group : values) {
      const std::array<double, 2> launch{0.2 * gaussian(), 0.2 * gaussian()};
      for (const FactorLevels& one : combinations) {
        group.push_back(effect(one) + launch[one[0]] + 0.03 * gaussian());
      }
    }
    sum += interaction_variance(combinations, values)->variance;
  }
  return sum / kCampaigns;
}

TEST(InteractionVariance, OfAdditiveEffectsIsZeroWithGapsToo) {
  EXPECT_NEAR(mean_estimate(crossed(), additive), 0, 3e-5);
  EXPECT_NEAR(mean_estimate(with_gaps(), additive), 0, 3e-5);
}

TEST(InteractionVariance, InsideLaunchesIsNotTakenForTheirLuck) {
  const auto together = [](const FactorLevels& levels) {
    return additive(levels) + (levels[0] == levels[1] ? 0.05 : -0.05);
  };
  EXPECT_NEAR(mean_estimate(crossed(), together), 0.05 * 0.05, 1e-4);
}

TEST(InteractionVariance, AgreesWithR) {
  int compared = 0;
  for (const golden::Row& row : golden::read("stats_variance.csv")) {
    if (row.at("kind") != "together") continue;
    ++compared;
    const std::vector<FactorLevels> combinations =
        row.at("case") == "crossed" ? crossed() : with_gaps();
    const std::vector<double> numbers = golden::numbers(row.at("values"));
    BlockedValues values;
    for (std::size_t at = 0; at < numbers.size(); at += combinations.size()) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(at);
      values.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(combinations.size()));
    }
    const auto result = interaction_variance(combinations, values);
    ASSERT_TRUE(result);
    golden::expect_close(result->variance, *golden::number(row.at("statistic")), 1e-9, "variance");
    EXPECT_EQ(result->df, *golden::number(row.at("df1")));
  }
  EXPECT_EQ(compared, 2);
}

TEST(InteractionVariance, NeedsCrossedFactorsInTwoBlocks) {
  const std::vector<FactorLevels> one_factor{{0}, {1}};
  EXPECT_FALSE(interaction_variance(one_factor, {{1, 2}, {1, 3}}));
  const std::vector<FactorLevels> chained{{0, 0}, {1, 0}, {1, 1}};
  EXPECT_FALSE(interaction_variance(chained, {{1, 2, 3}, {1, 3, 9}}));
  EXPECT_THROW((void)interaction_variance(one_factor, {{1, 2}}), std::invalid_argument);
  EXPECT_THROW((void)interaction_variance(one_factor, {{1, 2}, {1}}), std::invalid_argument);
  EXPECT_THROW((void)interaction_variance(one_factor, {{1, 2}, {1, NAN}}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
