#include "stats/peers/change_detectors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/model/line.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

double detector_noise(base::Random& random) {
  return normal_quantile(0.5e-9 + (1 - 1e-9) * random.uniform());
}

// NetGauge's sizes, 1, 1025, ...: a gap of 1 us and 1 ns a byte, `jump_us` more from the place on,
// noise of `sd_us`, and a ping-pong that NetGauge takes off again.
std::vector<NetgaugeTimes> netgauge_times(std::size_t count, std::size_t place, double jump_us,
                                          double sd_us, base::Random& random) {
  std::vector<NetgaugeTimes> times;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = 1 + 1024.0 * static_cast<double>(i);
    const double gap =
        1 + 1e-3 * size + (i >= place ? jump_us : 0) + sd_us * detector_noise(random);
    const double one = 5 + 2e-3 * size;
    times.push_back({.size = size,
                     .one_us = one,
                     .train_us = one + 9 * gap,
                     .delayed_us = one + 9 * (one + .4)});
  }
  return times;
}

TEST(Netgauge, FindsAJumpThatIsLargeAgainstItsNoise) {
  base::Random random(1);
  const NetgaugeResult result = netgauge_changes(netgauge_times(40, 20, 30, .5, random), {});
  ASSERT_EQ(result.changes.size(), 1U);
  // The point that it takes for the last one of the old protocol is the first one beyond the jump
  // or one beside it.
  EXPECT_NEAR(result.changes[0], 1 + 1024 * 20, 1024);
  ASSERT_EQ(result.stretches.size(), 2U);
  EXPECT_EQ(result.stretches[0].first_size, 1);
  EXPECT_NEAR(result.stretches[1].g_us, 31, 2);
  EXPECT_NEAR(result.stretches[1].gap_per_byte_us, 1e-3, 1e-4);
  EXPECT_NEAR(result.stretches[0].overhead_us.value(), .4, 1e-9);
}

TEST(Netgauge, LinesAreLeastSquares) {
  base::Random random(2);
  const std::vector<NetgaugeTimes> times = netgauge_times(30, 30, 0, .4, random);
  const NetgaugeResult result = netgauge_changes(times, {});
  ASSERT_EQ(result.stretches.size(), 1U);
  std::vector<double> sizes;
  std::vector<double> gaps;
  for (const NetgaugeTimes& one : times) {
    sizes.push_back(one.size);
    gaps.push_back((one.train_us - one.one_us) / 9);
  }
  const LineFit line = fit_line(sizes, gaps);
  double squares = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    squares += std::pow(gaps[i] - line.intercept - line.slope * sizes[i], 2);
  }
  EXPECT_NEAR(result.stretches[0].g_us, line.intercept, 1e-9);
  EXPECT_NEAR(result.stretches[0].gap_per_byte_us, line.slope, 1e-12);
  EXPECT_NEAR(result.stretches[0].deviation_us, std::sqrt(squares / 28), 1e-9);
}

// As on shared memory here: from 3.2 to 10.6 us, where what came before deviates by less than 0.15.
TEST(Netgauge, DoesNotSeeAJumpBehindAQuietLine) {
  base::Random random(3);
  const std::vector<NetgaugeTimes> quiet = netgauge_times(60, 20, 7.4, .02, random);
  EXPECT_THAT(netgauge_changes(quiet, {}).changes, IsEmpty());
  NetgaugeRule rule;
  rule.least_us = 0;
  EXPECT_EQ(netgauge_changes(quiet, rule).changes.size(), 1U) << "it is the bound that hides it";
}

// The four lines that its look-ahead draws all go through the point in question: they do not tell a
// point from a protocol.
TEST(Netgauge, TakesOneWildPointForAChange) {
  base::Random random(4);
  std::vector<NetgaugeTimes> times = netgauge_times(40, 40, 0, .5, random);
  EXPECT_THAT(netgauge_changes(times, {}).changes, IsEmpty());
  times[20].train_us += 9 * 60;
  EXPECT_THAT(netgauge_changes(times, {}).changes, ElementsAre(times[20].size));
}

TEST(Netgauge, FarOutliersAreRemovedOnlyWhereTheDeviationIsLarge) {
  base::Random random(5);
  std::vector<NetgaugeTimes> times = netgauge_times(40, 40, 0, .5, random);
  times[10].train_us += 9 * 5000;
  const NetgaugeResult result = netgauge_changes(times, {});
  EXPECT_THAT(result.removed, ElementsAre(times[10].size));
  times[10].train_us -= 9 * 4800;
  EXPECT_THAT(netgauge_changes(times, {}).removed, IsEmpty());
}

TEST(Netgauge, FewSizesAreOneStretchWithoutADeviation) {
  base::Random random(6);
  const NetgaugeResult two = netgauge_changes(netgauge_times(2, 2, 0, .5, random), {});
  ASSERT_EQ(two.stretches.size(), 1U);
  EXPECT_TRUE(std::isnan(two.stretches[0].deviation_us)) << "as the tool prints it";
  EXPECT_THAT(netgauge_changes({}, {}).stretches, IsEmpty());
}

TEST(Netgauge, NonsenseThrows) {
  base::Random random(7);
  std::vector<NetgaugeTimes> times = netgauge_times(10, 10, 0, .5, random);
  EXPECT_THROW(netgauge_changes(times, {.messages = 1}), std::invalid_argument);
  times[3].one_us = std::numeric_limits<double>::infinity();
  EXPECT_THROW(netgauge_changes(times, {}), std::invalid_argument);
  times[3] = times[2];
  EXPECT_THROW(netgauge_changes(times, {}), std::invalid_argument);
}

// 2 us and 1 ns a byte; above the place so many times as long.
PlogpTimes plogp_times(double size, double place, double factor) {
  const double time = (2000 + size) * (size > place ? factor : 1);
  return {.gap_ns = time};
}

TEST(Plogp, HalvesUntilTheJumpIsWithin32Bytes) {
  std::map<double, int> asked;
  const PlogpResult result = plogp_changes(
      [&](double size) {
        ++asked[size];
        return plogp_times(size, 700, 2);
      },
      65536, {});
  // The size behind is off, too: the line through the jump goes on far too steeply.
  ASSERT_EQ(result.changes.size(), 2U);
  EXPECT_EQ(result.changes[1].below, result.changes[0].above);
  EXPECT_LE(result.changes[0].below, 700);
  EXPECT_GT(result.changes[0].above, 700);
  EXPECT_LE(result.changes[0].above - result.changes[0].below, 32);
  EXPECT_EQ(result.sizes.size(), asked.size());
  for (const auto& [size, times] : asked) EXPECT_EQ(times, 1) << size;
  EXPECT_TRUE(std::ranges::is_sorted(result.sizes));
}

TEST(Plogp, LargeSizesAreHalvedTo3Percent) {
  const PlogpResult result =
      plogp_changes([](double size) { return plogp_times(size, 40000, 2); }, 262144, {});
  ASSERT_FALSE(result.changes.empty());
  EXPECT_LE(result.changes[0].below, 40000);
  EXPECT_GT(result.changes[0].above, 40000);
  EXPECT_LE(result.changes[0].above - result.changes[0].below, .03 * 40000);
  EXPECT_GT(result.changes[0].above - result.changes[0].below, .01 * 40000);
}

TEST(Plogp, StraightLineHasPowersOfTwoAlone) {
  const PlogpResult result =
      plogp_changes([](double size) { return plogp_times(size, 1e9, 1); }, 100, {});
  EXPECT_THAT(result.sizes, ElementsAre(0, 1, 2, 4, 8, 16, 32, 64, 100));
  EXPECT_THAT(result.changes, IsEmpty());
}

TEST(Plogp, JumpOf15PercentIsNone) {
  const PlogpResult result =
      plogp_changes([](double size) { return plogp_times(size, 700, 1.15); }, 65536, {});
  EXPECT_THAT(result.changes, IsEmpty());
}

// An overhead above 1 KiB is always less than 10 ns a byte today.
TEST(Plogp, OverheadsAreAllowedTwiceAsMuchAbove1KiB) {
  const auto overhead = [](double size) {
    return PlogpTimes{.send_overhead_ns = plogp_times(size, 5000, 1.3).gap_ns};
  };
  EXPECT_THAT(plogp_changes(overhead, 65536, {}).changes, IsEmpty());
  const auto gap = [](double size) { return plogp_times(size, 5000, 1.3); };
  EXPECT_FALSE(plogp_changes(gap, 65536, {}).changes.empty());
}

TEST(Plogp, SizesThatWereMeasuredStandForThoseThatItAsksFor) {
  base::Random random(8);
  std::vector<PlogpMeasured> measured;
  double size = 0;
  while (size < 60000) {
    measured.push_back({.size = size, .times = plogp_times(size, 3000, 2)});
    size = std::floor(size * (1.02 + .06 * random.uniform())) + 1;
  }
  const PlogpResult result = plogp_changes_on(measured, {});
  ASSERT_FALSE(result.changes.empty());
  const PlogpBracket& change = result.changes.front();
  EXPECT_LE(change.below, 3000);
  EXPECT_GT(change.above, 3000);
  EXPECT_LE(change.above, change.below * 1.08 + 64);
  for (const double one : result.sizes) {
    EXPECT_TRUE(
        std::ranges::any_of(measured, [&](const PlogpMeasured& of) { return of.size == one; }));
  }
  EXPECT_THAT(plogp_changes_on({}, {}).sizes, IsEmpty());
}

TEST(Plogp, StopsAtSoManySizes) {
  base::Random random(9);
  PlogpRule rule;
  rule.most_sizes = 30;
  const PlogpResult result = plogp_changes(
      [&](double size) { return plogp_times(size, 0, 1 + 3 * random.uniform()); }, 1 << 20, rule);
  EXPECT_EQ(result.sizes.size(), 30U);
}

TEST(Plogp, NonsenseThrows) {
  const auto measure = [](double size) { return plogp_times(size, 1e9, 1); };
  EXPECT_THROW(plogp_changes(measure, .5, {}), std::invalid_argument);
  EXPECT_THROW(plogp_changes(measure, 64, {.difference = 0}), std::invalid_argument);
  EXPECT_THROW(plogp_changes(measure, 64, {.least_distance = 2}), std::invalid_argument);
  const std::vector<PlogpMeasured> falling{{.size = 2}, {.size = 1}};
  EXPECT_THROW(plogp_changes_on(falling, {}), std::invalid_argument);
}

struct LooggpSeries {
  std::vector<double> sizes = {};
  std::vector<double> times = {};
};

// In equal steps: 1 ns a byte, and a fall by half at the place.
LooggpSeries looggp_series(std::size_t count, std::size_t place, double sd, base::Random& random) {
  LooggpSeries series;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = 1024 * static_cast<double>(i);
    series.sizes.push_back(size);
    series.times.push_back(1000 + size * (i > place ? .5 : 1) + sd * detector_noise(random));
  }
  return series;
}

TEST(Looggp, MarksThePeakBeforeAFall) {
  base::Random random(10);
  const LooggpSeries series = looggp_series(60, 30, 1, random);
  EXPECT_THAT(looggp_changes(series.sizes, series.times, {}).candidates, ElementsAre(30 * 1024.0));
}

TEST(Looggp, NoiseAloneHasACandidateInEveryNeighbourhood) {
  base::Random random(11);
  const LooggpSeries series = looggp_series(500, 500, 100, random);
  const std::size_t count = looggp_changes(series.sizes, series.times, {}).candidates.size();
  EXPECT_GT(count, 25U);
  EXPECT_LT(count, 65U);
  const std::size_t wider =
      looggp_changes(series.sizes, series.times, {.neighbours = 20}).candidates.size();
  EXPECT_LT(wider, count / 2) << "it is the neighbourhood that decides";
}

TEST(Looggp, WildPointsAreRemovedFirst) {
  base::Random random(12);
  LooggpSeries series = looggp_series(60, 30, 1, random);
  series.times[12] += 50000;
  const LooggpResult result = looggp_changes(series.sizes, series.times, {});
  EXPECT_THAT(result.removed, testing::Contains(12 * 1024.0));
  EXPECT_THAT(result.candidates, testing::Not(testing::Contains(12 * 1024.0)));
}

TEST(Looggp, FewMeasurementsHaveNoMiddle) {
  base::Random random(13);
  const LooggpSeries series = looggp_series(10, 5, 1, random);
  EXPECT_THAT(looggp_changes(series.sizes, series.times, {}).candidates, IsEmpty());
  EXPECT_THAT(looggp_changes({}, {}, {}).candidates, IsEmpty());
}

TEST(Looggp, NonsenseThrows) {
  const std::vector<double> sizes{1, 2, 2};
  const std::vector<double> times{1, 2, 3};
  EXPECT_THROW(looggp_changes(sizes, times, {}), std::invalid_argument);
  EXPECT_THROW(looggp_changes(std::span(sizes).first(2), times, {}), std::invalid_argument);
  EXPECT_THROW(looggp_changes(times, sizes, {.neighbours = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
