// Rate, step, resolution and cost of a clock, from readings whose truth is known.
#include "clock/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "base/random.hpp"

namespace invar::clock {
namespace {

// Readings of a clock that counts `ticks_per_s` and shows only multiples of `step_ticks`, as often
// as `cost_ticks` allows, with work of random length below `work_ticks` in between.
std::vector<std::int64_t> readings(std::size_t count, double step_ticks, double cost_ticks,
                                   double work_ticks, std::uint64_t seed = 1) {
  base::Random random(seed);
  std::vector<std::int64_t> reads;
  double now = 123456.7;
  for (std::size_t i = 0; i < count; ++i) {
    reads.push_back(static_cast<std::int64_t>(std::floor(now / step_ticks) * step_ticks));
    now += cost_ticks + random.uniform() * work_ticks;
  }
  return reads;
}

Quality quality(double step_ticks, double cost_ticks = 60, double work_ticks = 200) {
  return quality_of(readings(1000, step_ticks, cost_ticks, 1),
                    readings(4000, step_ticks, cost_ticks, work_ticks, 2));
}

TEST(Step, TickByTickIsOne) { EXPECT_EQ(quality(1).step_ticks, 1); }

TEST(Step, StepsOfTenNanosecondsInTicksOfATsc) {
  // 2596 MHz that advances every 10 ns: seen on a virtual machine.
  EXPECT_NEAR(quality(25.96).step_ticks, 25.96, 0.05);
}

TEST(Step, StepsOfTenTicks) { EXPECT_NEAR(quality(10).step_ticks, 10, 0.01); }

TEST(Step, StepsOfTwoTicks) { EXPECT_NEAR(quality(2, 36, 200).step_ticks, 2, 0.01); }

TEST(Step, ClockOfMicrosecondsInNanoseconds) {
  EXPECT_NEAR(quality(1000, 50, 3000).step_ticks, 1000, 1);
}

TEST(Step, StepMuchLargerThanAllDistancesIsTheOneDistanceSeen) {
  EXPECT_NEAR(quality(100'000, 50, 100).step_ticks, 100'000, 1);
}

TEST(Step, InterruptionsDoNotHideIt) {
  std::vector<std::int64_t> spread = readings(4000, 25.96, 60, 200);
  base::Random random(9);
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < spread.size(); ++i) {
    if (i % 100 == 50) {
      lost += static_cast<std::int64_t>(25.96 * static_cast<double>(1000 + random.below(9000)));
    }
    spread[i] += lost;
  }
  EXPECT_NEAR(quality_of(readings(1000, 25.96, 60, 1), spread).step_ticks, 25.96, 0.2);
}

TEST(Step, ClockThatStandsStillHasNone) {
  const Quality still =
      quality_of(std::vector<std::int64_t>(100, 5), std::vector<std::int64_t>(400, 5));
  EXPECT_EQ(still.cost_ticks, 0);
  EXPECT_EQ(still.resolution_ticks, 0);
  EXPECT_TRUE(still.monotonic);
}

TEST(Cost, OfReadsCheaperThanAStepIsTheirMean) {
  // A step of 4 ticks every third read; one interruption.
  std::vector<std::int64_t> reads{0};
  for (int i = 1; i <= 200; ++i) reads.push_back(reads.back() + (i % 3 == 0 ? 4 : 0));
  for (int i = 120; i <= 200; ++i) reads[static_cast<std::size_t>(i)] += 100'000;
  EXPECT_NEAR(quality_of(reads, reads).cost_ticks, 4.0 / 3, 0.05);
}

TEST(Cost, IsTheMedianDistanceOfReadsBackToBack) {
  const std::vector<std::int64_t> near{0, 60, 120, 180, 240, 9000};
  const std::vector<std::int64_t> spread{0, 500, 1100};
  EXPECT_EQ(quality_of(near, spread).cost_ticks, 60);
}

TEST(Resolution, IsTheSmallestDistanceAboveZero) {
  const std::vector<std::int64_t> near{0, 0, 26, 26, 52};
  const std::vector<std::int64_t> spread{0, 78, 78, 103};
  EXPECT_EQ(quality_of(near, spread).resolution_ticks, 25);
}

TEST(Monotonic, OneReadingThatGoesBackIsSeenWhereverItIs) {
  const std::vector<std::int64_t> good{0, 10, 20, 20, 30};
  const std::vector<std::int64_t> bad{0, 10, 9, 20, 30};
  EXPECT_TRUE(quality_of(good, good).monotonic);
  EXPECT_FALSE(quality_of(bad, good).monotonic);
  EXPECT_FALSE(quality_of(good, bad).monotonic);
}

TEST(QualityOfNothing, IsNoCrash) {
  const Quality none = quality_of({}, {});
  EXPECT_EQ(none.cost_ticks, 0);
  EXPECT_TRUE(none.monotonic);
}

// --- rate ------------------------------------------------------------------------------------

Bracket bracket(std::int64_t ticks, std::int64_t raw_ns, std::int64_t width_ticks = 0) {
  return {.ticks = ticks, .raw_ns = raw_ns, .width_ticks = width_ticks};
}

TEST(RateBetween, TicksOverTime) {
  const Rate rate = rate_between(bracket(1'000, 5'000), bracket(1'000 + 519'200'000, 200'005'000));
  EXPECT_NEAR(rate.ticks_per_s, 2.596e9, 1);
}

TEST(RateBetween, UncertaintyIsThatOfBothBracketsOverTheirDistance) {
  const Rate rate = rate_between(bracket(0, 0, 100), bracket(2'600'000'000, 1'000'000'000, 60));
  EXPECT_DOUBLE_EQ(rate.half_width_per_s, 80);
  const Rate longer = rate_between(bracket(0, 0, 100), bracket(26'000'000'000, 10'000'000'000, 60));
  EXPECT_DOUBLE_EQ(longer.half_width_per_s, 8);
}

TEST(RateBetween, TrueRateLiesInsideTheUncertainty) {
  // The raw clock was read anywhere between the two reads of the bracket.
  base::Random random(3);
  constexpr double kTicksPerS = 2'596'012'345.0;
  for (int i = 0; i < 1000; ++i) {
    const auto at = [&](double s) {
      const double width = 80 + 400 * random.uniform();
      const double raw = s * 1e9;
      const double tick_of_raw = s * kTicksPerS;
      const double middle = tick_of_raw + (random.uniform() - 0.5) * width;
      return bracket(static_cast<std::int64_t>(middle), static_cast<std::int64_t>(raw),
                     static_cast<std::int64_t>(width) + 1);
    };
    const Rate rate = rate_between(at(1.0), at(1.0 + 0.01 + random.uniform()));
    // 1 tick and 1 ns of rounding at each end.
    ASSERT_NEAR(rate.ticks_per_s, kTicksPerS, rate.half_width_per_s + 8 / 0.01);
  }
}

TEST(RateBetween, NeedsTimeToPass) {
  EXPECT_THROW(rate_between(bracket(10, 10), bracket(20, 10)), std::invalid_argument);
  EXPECT_THROW(rate_between(bracket(10, 10), bracket(10, 20)), std::invalid_argument);
  EXPECT_THROW(rate_between(bracket(10, 20), bracket(20, 10)), std::invalid_argument);
}

TEST(ToPs, IsExactForARateOfWholePicoseconds) {
  constexpr std::int64_t kTenHoursS = 36'000;
  for (const std::int64_t per_second : {1'000'000'000LL, 2'500'000'000LL, 4'000'000'000LL}) {
    const Rate rate{.ticks_per_s = static_cast<double>(per_second)};
    const std::int64_t ps_per_tick = 1'000'000'000'000 / per_second;
    for (const std::int64_t ticks :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{12345}, per_second,
          kTenHoursS * per_second + 1, -(kTenHoursS * per_second) - 1}) {
      EXPECT_EQ(rate.to_ps(ticks), ticks * ps_per_tick) << ticks << " ticks of " << per_second;
    }
  }
}

TEST(ToPs, NeighbouringTicksStayApartAfterTenHours) {
  const Rate rate{.ticks_per_s = 2'596'012'345.5};
  const auto late = static_cast<std::int64_t>(36'000 * rate.ticks_per_s);
  for (std::int64_t tick = late; tick < late + 1000; ++tick) {
    const std::int64_t step_ps = rate.to_ps(tick + 1) - rate.to_ps(tick);
    ASSERT_TRUE(step_ps == 385 || step_ps == 386) << step_ps;  // 385.206 ps
  }
}

TEST(ToPs, OneTimeIsTheSumOfItsPartsToOnePicosecond) {
  const Rate rate{.ticks_per_s = 2'299'998'765.4321};
  const auto hours = static_cast<std::int64_t>(5 * 3600 * rate.ticks_per_s);
  for (std::int64_t part = 1; part < hours; part = part * 3 + 1) {
    ASSERT_NEAR(static_cast<double>(rate.to_ps(hours) - rate.to_ps(hours - part)),
                static_cast<double>(rate.to_ps(part)), 1);
  }
}

// --- with a clock ----------------------------------------------------------------------------

// Every reading costs 30 ticks, every tenth 5000 more.
struct SlowClock {
  std::int64_t* ticks;
  int* readings;
  [[nodiscard]] std::int64_t now() const {
    *ticks += 30;
    if (++*readings % 10 == 0) *ticks += 5000;
    return *ticks;
  }
};

TEST(BracketedRead, TakesTheNarrowestBracketAndItsMiddle) {
  std::int64_t ticks = 0;
  int readings = 5;
  const Bracket bracket = bracketed_read(SlowClock{&ticks, &readings});
  EXPECT_EQ(bracket.width_ticks, 30);
  EXPECT_EQ(readings, 5 + 100);
  EXPECT_GT(bracket.raw_ns, 0);
}

TEST(RateDoubt, SaysNothingWhereTheProcessorAgreesOrIsSilent) {
  EXPECT_EQ(rate_doubt(25.01e6, 25e6), "");
  EXPECT_EQ(rate_doubt(2596e6, 0), "");
}

TEST(RateDoubt, NamesBothRates) {
  EXPECT_EQ(rate_doubt(25e6, 1000e6),
            "the counter ticks at 25 MHz where the processor claims 1000 MHz");
}

TEST(MeasureQuality, CoarseClockShowsItsStep) {
  EXPECT_EQ(measure_quality(CoarseClock{10'000}).step_ticks, 10'000);
}

TEST(MeasureQuality, RealClocksAreMonotonicAndHaveAStep) {
  const Quality raw = measure_quality(MonotonicRawClock{});
  EXPECT_TRUE(raw.monotonic);
  EXPECT_GE(raw.step_ticks, 1);
  EXPECT_GT(raw.resolution_ticks, 0);
  const Quality tsc = measure_quality(TscClock{});
  EXPECT_TRUE(tsc.monotonic);
  EXPECT_GE(tsc.step_ticks, 1);
  EXPECT_GT(tsc.cost_ticks, 0);
}

}  // namespace
}  // namespace invar::clock
