#include "clock/mesh/tracking.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "base/random.hpp"

namespace invar::clock {
namespace {

constexpr std::int64_t kSecondPs = 1'000'000'000'000;

double normal(base::Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) *
         std::cos(6.283185307179586 * random.uniform());
}

// A clock whose skew walks in steps of 10 ms, its offset every second (exact), and measurements.
struct Walk {
  std::vector<double> offset_ps;  // every 10 ms
  std::vector<Measurement> measured;
};

Walk walk(double wander, double sigma_ps, int seconds, std::uint64_t seed = 3) {
  base::Random random(seed);
  Walk result;
  double offset = 0;
  double skew = 1e-5;
  for (int i = 0; i <= seconds * 100; ++i) {
    result.offset_ps.push_back(offset);
    if (i > 0 && i % 100 == 0) {
      const std::int64_t at_ps = kSecondPs / 100 * i;
      result.measured.push_back(
          {at_ps, std::llround(offset + sigma_ps * normal(random)), sigma_ps * sigma_ps});
    }
    offset += skew * static_cast<double>(kSecondPs) / 100;
    skew += wander * 0.1 * normal(random);
  }
  return result;
}

ClockState start() {
  ClockState state;
  state.model = {.at_ps = 0, .offset_ps = 0, .skew = 1e-5};
  state.offset_variance_ps2 = 100.0 * 100;
  state.skew_variance = 1e-10 * 1e-10;
  return state;
}

double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(Tracking, PredictionIsHonestAboutItsUncertainty) {
  const TrackingRules rules{.wander = 1e-9, .fit_wander = false};
  std::vector<double> sigmas;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Walk truth = walk(1e-9, 1000, 20, seed);
    Tracker tracker(start(), rules);
    for (const Measurement& measurement : truth.measured) {
      const ClockState predicted = tracker.predict(measurement.at_ps);
      const double error =
          static_cast<double>(predicted.model.offset_ps) -
          truth.offset_ps[static_cast<std::size_t>(measurement.at_ps / (kSecondPs / 100))];
      sigmas.push_back(error / std::sqrt(predicted.offset_variance_ps2));
      tracker.update(measurement);
    }
  }
  EXPECT_NEAR(root_mean_square(sigmas), 1, 0.2);
}

TEST(Tracking, TheGateRefusesAnOutlier) {
  Tracker tracker(start(), {.wander = 1e-9});
  const Walk truth = walk(0, 0, 5);
  for (const Measurement& m : truth.measured) {
    tracker.update({m.at_ps, m.offset_ps, 1000.0 * 1000});
  }
  const std::int64_t at = 6 * kSecondPs;
  const ClockState before = tracker.predict(at);
  EXPECT_FALSE(tracker.update({at, before.model.offset_ps + 1'000'000, 1000.0 * 1000}));
  EXPECT_EQ(tracker.state().model.offset_ps, before.model.offset_ps);
  EXPECT_EQ(tracker.state().model.skew, before.model.skew);
}

TEST(Tracking, AClockThatReallyJumpedIsBelievedAfterThreeMeasurements) {
  Tracker tracker(start(), {.wander = 1e-9});
  for (int i = 1; i <= 4; ++i) {
    tracker.update({i * kSecondPs, 10'000'000LL * i + 50'000'000, 1000.0 * 1000});
  }
  EXPECT_NEAR(static_cast<double>(tracker.predict(5 * kSecondPs).model.offset_ps), 100'000'000,
              10'000);
}

TEST(Tracking, EpochsTellTheRulesThatJudgedThem) {
  Tracker tracker(start(), {.wander = 1e-9, .noise = 2, .fit_wander = false, .fit_noise = false});
  for (int i = 1; i <= 3; ++i) {
    tracker.update({i * kSecondPs, 10'000'000LL * i + 50'000'000, 1000.0 * 1000});
  }
  for (const Epoch& epoch : tracker.epochs()) {
    EXPECT_EQ(epoch.wander, 1e-9);
    EXPECT_EQ(epoch.noise, 2);
  }
  EXPECT_FALSE(tracker.epochs()[2].restarted);
  EXPECT_TRUE(tracker.epochs()[3].restarted);
}

TEST(Tracking, TheWanderIsFoundFromMeasurements) {
  const Walk truth = walk(2e-8, 1000, 60);
  Tracker tracker(start(), {.wander = 1e-9});
  for (const Measurement& m : truth.measured) tracker.update(m);
  EXPECT_GT(tracker.rules().wander, 0.5e-8);
  EXPECT_LT(tracker.rules().wander, 8e-8);
  EXPECT_EQ(tracker.epochs().back().wander, tracker.rules().wander);
}

// Measurements that say to be thirty times worse than they are.
TEST(Tracking, TheNoiseIsFoundFromMeasurements) {
  const Walk truth = walk(1e-9, 1000, 60);
  Tracker tracker(start(), {.wander = 1e-9});
  for (const Measurement& m : truth.measured) {
    tracker.update({m.at_ps, m.offset_ps, 30.0 * 30 * m.variance_ps2});
  }
  EXPECT_LT(tracker.rules().noise, 0.1);
  EXPECT_GT(tracker.rules().noise, 0.01);
  EXPECT_EQ(tracker.epochs().back().noise, tracker.rules().noise);
}

// Looks far noisier than a clock wanders: refusing most of them must not look like a good clock.
TEST(Tracking, NoisyLooksAreNotTakenForOutliersOfAQuietOne) {
  for (const double sigma_ps : {3e6, 1e7, 1e8}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Tracker tracker(start(), {.wander = 1e-9});
      for (const Measurement& m : walk(1e-10, sigma_ps, 30, seed).measured) tracker.update(m);
      std::size_t refused = 0;
      for (const Epoch& epoch : tracker.epochs()) refused += epoch.accepted ? 0 : 1;
      EXPECT_LE(refused, 2U) << sigma_ps << ", seed " << seed;
      EXPECT_GT(tracker.rules().noise, 0.3) << sigma_ps << ", seed " << seed;
    }
  }
}

TEST(Tracking, SixMeasurementsDoNotMakeTheClockLookBetterThanItMayBe) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Walk truth = walk(1e-9, 1000, 6, seed);
    Tracker tracker(start(), {.wander = 1e-9});
    for (const Measurement& m : truth.measured) tracker.update(m);
    EXPECT_GT(tracker.rules().wander, 0.3e-9) << seed;
  }
}

TEST(Tracking, WhileLittleIsKnownARefusedLookMayMeanThatTheClockWandersMore) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Tracker tracker(start(), {.wander = 1e-10});
    for (const Measurement& m : walk(3e-8, 1000, 4, seed).measured) tracker.update(m);
    for (const Epoch& epoch : tracker.epochs()) refused += epoch.accepted ? 0 : 1;
  }
  EXPECT_EQ(refused, 0U) << "of 80";
}

// Campaigns are written in pieces, each smoothed by itself.
TEST(Tracking, AJumpThatIsNotBelievedYetAtTheEndOfAPieceIsUncertainThere) {
  constexpr double kJumpPs = 1e7;
  Tracker tracker(start(), {.wander = 1e-9});
  const Walk truth = walk(1e-9, 1000, 40);
  for (std::size_t i = 0; i < 22; ++i) {
    Measurement m = truth.measured[i];
    if (i >= 20) m.offset_ps += static_cast<std::int64_t>(kJumpPs);
    tracker.update(m);
  }
  ASSERT_FALSE(tracker.epochs().back().accepted);
  const SmoothedClock piece(tracker.epochs(), tracker.rules());
  const std::int64_t last_ps = truth.measured[21].at_ps;
  EXPECT_GT(piece.at(last_ps - kSecondPs / 2)->sigma_ps, kJumpPs / 2);
  EXPECT_LT(piece.at(last_ps - 5 * kSecondPs)->sigma_ps, kJumpPs / 100);
}

// The smoother must not carry a jump back to what was before it.
TEST(Tracking, AClockThatJumpedIsSmoothedApartAndUncertainInBetween) {
  constexpr std::int64_t kJump = 10'000'000;  // between 20 s and 21 s
  Walk truth = walk(1e-9, 1000, 40);
  Tracker tracker(start(), {.wander = 1e-9});
  for (Measurement m : truth.measured) {
    if (m.at_ps > 20 * kSecondPs) m.offset_ps += kJump;
    tracker.update(m);
  }
  const SmoothedClock clock(tracker.epochs(), tracker.rules());
  const auto error_ps = [&](int second, std::int64_t jump) {
    return std::abs(static_cast<double>(second * kSecondPs -
                                        clock.at(second * kSecondPs)->reference_ps - jump) -
                    truth.offset_ps[static_cast<std::size_t>(second) * 100]);
  };
  for (int second = 1; second <= 20; ++second) EXPECT_LT(error_ps(second, 0), 5000) << second;
  for (int second = 24; second < 40; ++second) EXPECT_LT(error_ps(second, kJump), 5000) << second;
  EXPECT_GT(clock.at(21 * kSecondPs + kSecondPs / 2)->sigma_ps, 0.9 * kJump);
  EXPECT_LT(clock.at(19 * kSecondPs + kSecondPs / 2)->sigma_ps, 0.01 * kJump);
  EXPECT_LT(clock.at(30 * kSecondPs + kSecondPs / 2)->sigma_ps, 0.01 * kJump);
}

TEST(Tracking, MeasurementsOutOfOrderAreAnError) {
  Tracker tracker(start(), {});
  tracker.update({2 * kSecondPs, 20'000'000, 1e6});
  EXPECT_THROW(tracker.update({kSecondPs, 10'000'000, 1e6}), std::invalid_argument);
  EXPECT_THROW(Tracker().update({kSecondPs, 0, 1}), std::logic_error);
}

struct Errors {
  std::vector<double> predicted, smoothed, sigmas;
};

Errors errors_of(double constant_sigma_ps = 0) {
  const TrackingRules rules{.wander = 1e-9, .constant_sigma_ps = constant_sigma_ps};
  Errors errors;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Walk truth = walk(1e-9, 1000, 20, seed);
    Tracker tracker(start(), rules);
    std::size_t tick = 0;
    const auto ask = [&](std::size_t end, auto body) {
      for (; tick < end; ++tick) body(static_cast<std::int64_t>(tick) * (kSecondPs / 100));
    };
    for (const Measurement& m : truth.measured) {
      ask(static_cast<std::size_t>(m.at_ps / (kSecondPs / 100)), [&](std::int64_t t) {
        errors.predicted.push_back(static_cast<double>(tracker.state().model.difference_ps(t)) -
                                   truth.offset_ps[tick]);
      });
      tracker.update(m);
    }
    const SmoothedClock clock(tracker.epochs(), tracker.rules());
    tick = 0;
    ask(truth.offset_ps.size() - 1, [&](std::int64_t t) {
      const auto reading = clock.at(t);
      ASSERT_TRUE(reading.has_value());
      const double error = static_cast<double>(t - reading->reference_ps) - truth.offset_ps[tick];
      errors.smoothed.push_back(error);
      errors.sigmas.push_back(error / reading->sigma_ps);
    });
  }
  return errors;
}

TEST(Tracking, SmoothingHalvesTheErrorOfThePrediction) {
  const Errors errors = errors_of();
  EXPECT_LT(root_mean_square(errors.smoothed), 0.5 * root_mean_square(errors.predicted));
}

TEST(Tracking, EveryInstantHasAnHonestUncertainty) {
  const double normalised = root_mean_square(errors_of().sigmas);
  EXPECT_GT(normalised, 0.5);
  EXPECT_LT(normalised, 1.3);
}

TEST(Tracking, WhatNoMeasurementShowsStaysInTheUncertainty) {
  EXPECT_LT(root_mean_square(errors_of(100'000).sigmas), 0.02);
}

TEST(Tracking, TheSmoothedClockNeverExtrapolates) {
  const Walk truth = walk(1e-9, 1000, 5);
  Tracker tracker(start(), {});
  for (const Measurement& m : truth.measured) tracker.update(m);
  const SmoothedClock clock(tracker.epochs(), tracker.rules());
  EXPECT_TRUE(clock.at(0));
  EXPECT_TRUE(clock.at(5 * kSecondPs));
  EXPECT_FALSE(clock.at(-1));
  EXPECT_FALSE(clock.at(5 * kSecondPs + 1));
  EXPECT_FALSE(SmoothedClock({}, {}).at(0));
}

}  // namespace
}  // namespace invar::clock
