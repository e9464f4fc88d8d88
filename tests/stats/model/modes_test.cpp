#include "stats/model/modes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/random.hpp"
#include "stats/golden.hpp"

namespace invar::stats {
namespace {

double normal(base::Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307 * random.uniform());
}

// A share of the values each around its own centre, sd 1.
std::vector<double> mixture(const std::vector<double>& centres, std::size_t n, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(centres[i % centres.size()] + normal(random));
  }
  return values;
}

TEST(Dip, AgreesWithDiptest) {
  std::size_t cases = 0;
  for (const golden::Row& row : golden::read("stats_dip.csv")) {
    if (row.at("kind") != "dip") continue;
    const std::vector<double> x = golden::numbers(row.at("x"));
    EXPECT_NEAR(dip(x), *golden::number(row.at("value")), 1e-9) << row.at("case") << x.size();
    ++cases;
  }
  EXPECT_EQ(cases, 49U);
}

TEST(DipQuantile, AgreesWithThePublishedOnes) {
  // Both are simulations: 1000001 samples there, 10000 and more here.
  std::size_t cases = 0;
  for (const golden::Row& row : golden::read("stats_dip.csv")) {
    if (row.at("kind") != "quantile") continue;
    const auto n = static_cast<std::size_t>(*golden::number(row.at("n")));
    const double p = *golden::number(row.at("probability"));
    golden::expect_close(dip_quantile(n, p), *golden::number(row.at("value")), 0.02,
                         std::to_string(n) + " " + std::to_string(p));
    ++cases;
  }
  EXPECT_EQ(cases, 40U);
}

TEST(DipQuantile, BetweenTheTablesSizesItFallsWithTheSize) {
  for (std::size_t n = 6; n < 20000; n = n * 5 / 4 + 1) {
    EXPECT_LT(dip_quantile(n * 5 / 4 + 1, 0.95), dip_quantile(n, 0.95)) << n;
  }
}

TEST(DipP, IsTheInverseOfTheQuantileAndEndsWithTheTable) {
  for (const double p : {0.02, 0.1, 0.3, 0.95, 0.985, 0.999}) {
    EXPECT_NEAR(dip_p(70, dip_quantile(70, p)), 1 - p, 1e-12);
  }
  EXPECT_DOUBLE_EQ(dip_p(70, 0.25), 0.001);
  EXPECT_DOUBLE_EQ(dip_p(70, 0.5 / 70), 0.99);
}

TEST(CountModes, FindsThoseThatAreThere) {
  EXPECT_EQ(count_modes(mixture({0}, 200, 1), 0), 1U);
  EXPECT_EQ(count_modes(mixture({0, 10}, 200, 1), 0), 2U);
  EXPECT_EQ(count_modes(mixture({0, 10, 25}, 200, 1), 0), 3U);
  EXPECT_EQ(count_modes(mixture({0, 10, 25, 40}, 400, 1), 0), 4U);
}

TEST(CountModes, MoreThanOneExactlyWhereTheDipRejectsOne) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<double> x = spread_ties(mixture({0, 3}, 60, seed), 0);
    EXPECT_EQ(count_modes(x, 0) > 1, dip(x) > dip_quantile(60, 0.95)) << seed;
  }
}

TEST(CountModes, OneModeIsSeldomTakenForMore) {
  // The uniform distribution is the worst there is: 5 %.
  base::Random random(3);
  std::size_t several = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> x(100);
    for (double& value : x) value = random.uniform();
    several += count_modes(x, 0) > 1 ? 1U : 0U;
  }
  EXPECT_GT(several, 60U);
  EXPECT_LT(several, 140U);
}

TEST(CountModes, TwoModesAreSeldomTakenForThree) {
  std::size_t three = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    three += count_modes(mixture({0, 10}, 100, seed), 0) > 2 ? 1U : 0U;
  }
  EXPECT_LE(three, 25U);
}

TEST(CountModes, SkewAndOutliersAreNoModes) {
  base::Random random(5);
  std::vector<double> x;
  for (int i = 0; i < 200; ++i) x.push_back(std::exp(1.5 * normal(random)));
  for (int i = 0; i < 5; ++i) x.push_back(1e4 + i);
  EXPECT_EQ(count_modes(x, 0), 1U);
}

TEST(CountModes, StepsOfTheClockAreNoModes) {
  // A bell over six steps: as it is read, each step would be a mode.
  std::vector<double> x = mixture({100}, 300, 9);
  for (double& value : x) value = std::round(value);
  EXPECT_EQ(count_modes(x, 1), 1U);
  EXPECT_EQ(count_modes(x, 0), 1U) << "no step is known: spread over the smallest distance";
  EXPECT_EQ(count_modes(std::vector<double>(50, 7.0), 0), 1U);
  std::vector<double> two = mixture({100, 120}, 300, 9);
  for (double& value : two) value = std::round(value);
  EXPECT_EQ(count_modes(two, 1), 2U);
}

TEST(SpreadTies, FillsOneStepEvenly) {
  EXPECT_EQ(spread_ties(std::vector<double>{20, 10, 20, 20, 20}, 8),
            (std::vector<double>{10, 17, 19, 21, 23}));
}

TEST(ModesWithin, NoModeIsNeededBeyondOneInAWideTube) {
  const std::vector<double> x = spread_ties(mixture({0, 10, 25}, 90, 1), 0);
  EXPECT_EQ(modes_within(x, 0.5), 1U);
  EXPECT_GT(modes_within(x, 0.5 / 90), 3U);
  std::size_t before = 90;
  for (int hundredths = 0; hundredths < 50; ++hundredths) {
    const double distance = 0.5 / 90 + 0.01 * hundredths;
    const std::size_t modes = modes_within(x, distance);
    EXPECT_LE(modes, before) << distance;
    before = modes;
  }
}

TEST(Modes, InvalidInputThrows) {
  const std::vector<double> bad{1.0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(dip(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(count_modes(bad, 0), std::invalid_argument);
  EXPECT_THROW(count_modes(std::vector<double>{1, 2}, -1), std::invalid_argument);
  EXPECT_THROW(count_modes(std::vector<double>{1, 2}, 0, 0.0), std::invalid_argument);
  EXPECT_THROW(dip_quantile(3, 0.5), std::invalid_argument);
  EXPECT_THROW(dip_quantile(10, 0.9999), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
