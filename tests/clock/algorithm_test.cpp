// What a user may say of an algorithm, and what becomes of it.
#include "clock/algorithm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::clock {
namespace {

using testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    parse_algorithm(text, "--algorithms");
  } catch (const base::UserError& error) {
    std::string all;
    for (const base::Fault& fault : error.faults()) all += fault.text() + '\n';
    return all;
  }
  return {};
}

TEST(Settings, EveryValueReadsBackAsItIs) {
  for (const Algorithm& algorithm : algorithms()) {
    for (const Parameter& parameter : algorithm.parameters) {
      const bool whole = parameter.values == Values::kWhole;
      // Small enough to be lost among six decimals.
      const double value =
          whole ? (parameter.value == parameter.most ? parameter.least : parameter.most)
                : std::max(parameter.least, 1.2345678e-7);
      Settings settings(algorithm);
      settings.set(parameter.name, value);
      Settings again(algorithm);
      const std::string text = settings.text();
      for (const std::string_view part : base::split(text, ':')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) continue;
        again.set(part.substr(0, equals), *base::parse_double(part.substr(equals + 1)));
      }
      EXPECT_EQ(again[parameter.name], value) << algorithm.name << " " << parameter.name;
    }
  }
}

TEST(Settings, ADefaultThatIsWrittenIsGiven) {
  const Settings written = parse_algorithm("jk:duration=0", "");
  EXPECT_TRUE(written.given("duration"));
  EXPECT_FALSE(written.given("exchanges"));
  EXPECT_TRUE(written.given());
  EXPECT_FALSE(parse_algorithm("jk", "").given());
}

TEST(Settings, WhatWouldDoNothingIsRefusedByName) {
  EXPECT_THAT(refusal_of("skampi:least-exchanges=5"),
              HasSubstr("skampi's least-exchanges does nothing while good-enough-us=0"));
  EXPECT_EQ(refusal_of("skampi:least-exchanges=5:good-enough-us=3"), "");
  EXPECT_THAT(refusal_of("hca:recompute-intercept=0:intercept-exchanges=50"),
              HasSubstr("intercept-exchanges does nothing while recompute-intercept=0"));
  EXPECT_EQ(refusal_of("hca:intercept-exchanges=50"), "");
  EXPECT_THAT(refusal_of("hca3:intercept-exchanges=50"), HasSubstr("recompute-intercept"));
}

TEST(Settings, AParameterThatIsThereTwiceIsRefused) {
  EXPECT_THAT(refusal_of("jk:exchanges=10:exchanges=20"), HasSubstr("exchanges is given twice"));
}

TEST(Settings, ATupleOfAnotherAlgorithmIsRefused) {
  EXPECT_THAT(refusal_of("netgauge:fit-points=10"), HasSubstr("has no parameter 'fit-points'"));
  EXPECT_THAT(refusal_of("jk:exchanges=0"), HasSubstr("it must lie between 1 and"));
}

TEST(LeastDuration, FollowsFromRanksExchangesAndFitPoints) {
  constexpr double kTripS = 2e-6;
  const auto least = [&](const std::string& text, int ranks) {
    return least_duration_s(parse_algorithm(text, ""), ranks, kTripS);
  };
  // One rank after the other; in a tree of 5 rounds; only the least number of points.
  EXPECT_DOUBLE_EQ(least("jk:fit-points=100:exchanges=30", 32), 100 * 30 * 31 * kTripS);
  EXPECT_DOUBLE_EQ(least("hca:fit-points=100:exchanges=30", 32), 100 * 30 * 5 * kTripS);
  EXPECT_DOUBLE_EQ(least("hca3:fit-points=100:exchanges=30", 33), 100 * 30 * 6 * kTripS);
  EXPECT_DOUBLE_EQ(least("jk", 2), 2 * 100 * kTripS);
  // By bounds ten round trips may be enough.
  EXPECT_DOUBLE_EQ(least("h2hca:fit-points=7", 2), 7 * 10 * kTripS);
  EXPECT_DOUBLE_EQ(least("mesh", 4), 10 * 3 * 20 * kTripS);
  EXPECT_EQ(least("skampi", 8), 0);
  EXPECT_EQ(least("jk", 1), 0);
}

TEST(LongestTime, IsOfAllExchangesThatWaitForEachOther) {
  constexpr double kTripS = 2e-6;
  const auto longest = [&](const std::string& text, int ranks) {
    return longest_s(parse_algorithm(text, ""), ranks, kTripS);
  };
  EXPECT_DOUBLE_EQ(longest("jk:fit-points=100:exchanges=30", 32), 100 * 30 * 31 * kTripS);
  EXPECT_DOUBLE_EQ(longest("skampi:exchanges=40", 32), 40 * 31 * kTripS);
  EXPECT_DOUBLE_EQ(longest("netgauge:exchanges=40", 33), 40 * 6 * kTripS);
  EXPECT_DOUBLE_EQ(longest("hca:fit-points=100:exchanges=30", 32),
                   (100 * 30 * 5 + 100 * 31) * kTripS);
  EXPECT_DOUBLE_EQ(longest("hca3:duration=2", 32), 2);
  EXPECT_DOUBLE_EQ(longest("mesh", 1000), 0.5);
  for (const Algorithm& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    EXPECT_EQ(longest(name, 1), 0) << name;
    EXPECT_GE(longest(name, 32), least_duration_s(parse_algorithm(name, ""), 32, kTripS)) << name;
  }
}

TEST(UsualCost, OfMeshGrowsWithTheLevelsOfATreeOverAllRanks) {
  constexpr double kTripS = 1e-6;
  const auto cost = [&](const std::string& text, int ranks) {
    return usual_cost(parse_algorithm(text, ""), ranks, kTripS);
  };
  EXPECT_EQ(cost("mesh", 1).first_s, 0);
  EXPECT_EQ(cost("mesh", 1).look_s, 0);
  const double five_levels_s = cost("mesh", 32).first_s - 0.5;
  EXPECT_GT(five_levels_s, 0);
  EXPECT_NEAR(cost("mesh", 1024).first_s - 0.5, 2 * five_levels_s, 1e-12);
  EXPECT_LT(cost("mesh", 2).look_s, cost("mesh", 32).look_s);
  EXPECT_LT(cost("mesh", 1024).look_s, 0.01) << "below a hundredth of the time";
  EXPECT_GT(cost("mesh:duration=0", 2).first_s, 10 * 20 * kTripS) << "its bursts at least";
  for (const Algorithm& algorithm : algorithms()) {
    const std::string name(algorithm.name);
    if (name == kMesh.name) continue;
    EXPECT_EQ(cost(name, 32).first_s, longest_s(parse_algorithm(name, ""), 32, kTripS)) << name;
    EXPECT_EQ(cost(name, 32).look_s, 0) << name << " is not tracked";
  }
}

}  // namespace
}  // namespace invar::clock
