// A model of simulated networks whose truth is known: pieces, thresholds, parameters, and what is
// not identified.
#include "analysis/network/network_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/network/network_tables.hpp"
#include "analysis/network/simulated_network.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using planted::simulated;
using planted::SimulatedCampaign;
using planted::TrueNetwork;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Enough for intervals, and quick.
ModelOptions quick() { return {.resamples = 99}; }

NetworkModel model_of(const TrueNetwork& truth, const SimulatedCampaign& campaign = {}) {
  return network_model(simulated(truth, campaign), quick());
}

// A parameter of LogGP at this size. Fails the test where there is none.
Parameter parameter(const NetworkModel& model, const std::string& name, std::uint64_t size_bytes) {
  for (const Parameter& one : model.joint.parameters) {
    if (one.model == "LogGP" && one.name == name && one.sizes.contains(size_bytes)) return one;
  }
  ADD_FAILURE() << "no parameter " << name << " at " << size_bytes;
  return {};
}

bool contains(const Parameter& parameter, double truth) {
  const auto& interval = parameter.estimate.value().interval.value();
  return interval.low <= truth && truth <= interval.high;
}

double half_width(const Parameter& parameter) {
  const auto& interval = parameter.estimate.value().interval.value();
  return (interval.high - interval.low) / 2 / parameter.estimate->value;
}

// Two pieces of o_s, and a jump of everything where sends begin to wait.
TrueNetwork two_protocols() {
  TrueNetwork truth;
  truth.send = {{0, 300, 0.1}, {2048, 900, 0.05}};
  truth.wire = {{0, 2000, 0.4}, {65536, 9000, 0.25}};
  truth.gap = {{0, 700, 0.4}, {65536, 9500, 0.25}};
  return truth;
}

TEST(NetworkModel, FindsThePiecesThatWerePlanted) {
  const NetworkModel model = model_of(two_protocols());
  const ModelSeries* send = model.find(SeriesKind::kSend);
  ASSERT_NE(send, nullptr);
  ASSERT_THAT(send->pieces, SizeIs(3));
  EXPECT_LT(send->breaks[0].last_bytes, 2048U);
  EXPECT_GE(send->breaks[0].first_bytes, 2048U);
  EXPECT_NEAR(send->pieces[0].intercept_ns.value, 300, 15);
  EXPECT_NEAR(send->pieces[1].slope_ns.value, 0.05, 0.005);
  ASSERT_TRUE(send->breaks[0].interval_bytes);
  EXPECT_LE(send->breaks[0].interval_bytes->low, 2048);
  EXPECT_GE(send->breaks[0].interval_bytes->high, 2047);
  EXPECT_NEAR(send->pieces[0].repetition_sd, 0.02, 0.005);
  EXPECT_THAT(model.find(SeriesKind::kPostedReceive)->pieces, SizeIs(1))
      << "a constant is one piece";
  EXPECT_THAT(model.find(SeriesKind::kSendToLate)->pieces, IsEmpty()) << "lateness is in it";
}

// A repetition that waited for a core is none of what repetitions usually are.
TEST(NetworkModel, SpreadOfAPieceIsNotThatOfTheWorstRepetition) {
  NetworkData data = simulated();
  for (DataSeries& series : data.series) {
    for (std::size_t i = 0; i < series.observations.size(); i += 10) {
      SeriesObservation& one = series.observations[i];
      one.variance_ns2 = 1e4 * one.median_ns * one.median_ns;
    }
  }
  const NetworkModel model = network_model(data, quick());
  for (const SeriesKind kind : {SeriesKind::kRoundTrip, SeriesKind::kSend}) {
    EXPECT_NEAR(model.find(kind)->pieces.at(0).repetition_sd, 0.02, 0.005);
  }
}

TEST(NetworkModel, FindsThresholdsBetweenTheSizesAroundThem) {
  TrueNetwork truth = two_protocols();
  truth.async_bytes = 4096;
  const NetworkModel model = model_of(truth);
  EXPECT_LT(model.detached.last_bytes.value(), 65536U);
  EXPECT_GE(model.detached.first_bytes.value(), 65536U);
  EXPECT_LT(model.async.last_bytes.value(), 4096U);
  EXPECT_GE(model.async.first_bytes.value(), 4096U);
  EXPECT_LE(model.async.interval_bytes.value().low, 4096);
  EXPECT_GE(model.async.interval_bytes.value().high, 4095);
}

TEST(NetworkModel, ParametersAreThoseThatWerePlanted) {
  const NetworkModel model = model_of(two_protocols(), {.sizes = 150});
  const Parameter latency = parameter(model, "L", 64);
  EXPECT_EQ(latency.state, ParameterState::kIdentified);
  EXPECT_NEAR(latency.estimate->value, 2000, 100);
  EXPECT_NEAR(parameter(model, "G", 64).estimate->value, 0.4, 0.02);
  EXPECT_NEAR(parameter(model, "o_s", 64).estimate->value, 300, 15);
  EXPECT_NEAR(parameter(model, "o_s per byte", 8192).estimate->value, 0.05, 0.005);
  EXPECT_NEAR(parameter(model, "o_r", 64).estimate->value, 400, 20);
  EXPECT_NEAR(parameter(model, "g", 64).estimate->value, 700, 35);
  // From there on a sum is known.
  EXPECT_NEAR(parameter(model, "G", 500000).estimate->value, 0.25 + 0.05 + 0.15, 0.02);
  EXPECT_EQ(parameter(model, "o_s", 500000).state, ParameterState::kNotIdentified);
  EXPECT_EQ(parameter(model, "L", 500000).state, ParameterState::kNotIdentified);
  EXPECT_NEAR(parameter(model, "o_s + L + o_r", 500000).estimate->value, 900 + 9000 + 400, 800);
}

// Each parameter in its interval, nearly always; the benchmark counts over more seeds.
TEST(NetworkModel, IntervalsHoldTheTruthOfSeveralSeeds) {
  std::size_t inside = 0;
  std::size_t asked = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const NetworkModel model = model_of(two_protocols(), {.seed = seed, .burst_every = 5});
    for (const auto& [name, size, truth] : {std::tuple("L", 64U, 2000.0),
                                            {"G", 64U, 0.4},
                                            {"o_s", 64U, 300.0},
                                            {"o_r", 64U, 400.0},
                                            {"g", 64U, 700.0},
                                            {"o_r per byte", 64U, 0.15}}) {
      const Parameter found = parameter(model, name, size);
      inside += contains(found, truth) ? 1U : 0U;
      ++asked;
      EXPECT_LT(half_width(found), 0.15) << name << " seed " << seed;
    }
  }
  EXPECT_GE(inside + 4, asked);
}

TEST(NetworkModel, LogPIsOfTheSmallestMessagesAndPLogPHasATable) {
  const NetworkModel model = model_of(two_protocols());
  std::vector<double> values;
  for (const Parameter& one : model.joint.parameters) {
    if (one.model == "LogP") values.push_back(one.estimate.value().value);
    if (one.model == "PLogP") {
      EXPECT_NEAR(one.estimate->value, 300 + 2000 + 400 - 700, 120);
    }
  }
  ASSERT_THAT(values, SizeIs(3));
  EXPECT_NEAR(values[1], 350, 20) << "o is the mean of both overheads";
  ASSERT_THAT(model.joint.plogp, Not(IsEmpty()));
  const PLogPRow& first = model.joint.plogp.front();
  EXPECT_NEAR(first.send_ns.value().value, 300, 20);
  EXPECT_NEAR(first.receive_ns.value().value, 400, 25);
  EXPECT_NEAR(first.gap_ns.value().value, 700, 60);
  EXPECT_FALSE(model.joint.plogp.back().send_ns) << "it waits";
}

// Trains are of fewer sizes than round trips: every second one, which the smallest may not be.
TEST(NetworkModel, LogPsGapIsOfTheSmallestTrains) {
  NetworkData data = simulated(two_protocols());
  for (DataSeries& series : data.series) {
    if (series.key.kind != SeriesKind::kTrain) continue;
    std::erase_if(series.observations,
                  [](const SeriesObservation& one) { return one.size_bytes < 8; });
  }
  const NetworkModel model = network_model(data, quick());
  for (const Parameter& one : model.joint.parameters) {
    const bool is_gap = one.model == "LogP" && one.name == "g";
    if (!is_gap && one.model != "PLogP") continue;
    EXPECT_NEAR(one.estimate.value().value, is_gap ? 700 : 2000, is_gap ? 35 : 120);
  }
}

TEST(NetworkModel, IntervalsOfWhatIsAtLeast0DoNotGoBelow) {
  TrueNetwork truth;
  truth.send = {{0, 300, 0.0001}};
  const NetworkModel model = model_of(truth);
  for (const Parameter& one : model.joint.parameters) {
    if (!one.estimate || !one.estimate->interval) continue;
    EXPECT_GE(one.estimate->interval->low, 0) << one.name;
  }
}

TEST(NetworkModel, FromAsyncOnTheReceivesOverheadIsNotGuessed) {
  TrueNetwork truth;
  truth.async_bytes = 4096;
  const NetworkModel model = model_of(truth);
  const Parameter overhead = parameter(model, "o_r", 16384);
  EXPECT_EQ(overhead.state, ParameterState::kNotIdentified);
  EXPECT_FALSE(overhead.estimate);
  EXPECT_THAT(overhead.why, HasSubstr("contains the transfer"));
  EXPECT_NEAR(parameter(model, "L + o_r", 16384).estimate->value, 2400, 250);
  EXPECT_NEAR(parameter(model, "o_r", 64).estimate->value, 400, 20);
}

// Both ends copy at the same time, so that a round trip takes less than both overheads.
TEST(NetworkModel, ALatencyBelow0IsOnItsBoundAndSaysSo) {
  TrueNetwork truth;
  truth.wire = {{0, -200, 0}};
  const NetworkModel model = model_of(truth);
  const Parameter latency = parameter(model, "L", 64);
  EXPECT_EQ(latency.state, ParameterState::kOnBound);
  EXPECT_EQ(latency.estimate.value().value, 0);
  EXPECT_NEAR(latency.by_subtraction.value(), -200, 60);
  EXPECT_THAT(latency.why, HasSubstr("overlap"));
  EXPECT_NEAR(parameter(model, "o_s", 64).estimate->value, 300, 10);
  EXPECT_NEAR(parameter(model, "o_r", 64).estimate->value, 400, 12);
}

TEST(NetworkModel, ATrainThatIsAsFastAsItsSenderSaysNothingOfTheGap) {
  TrueNetwork truth;
  truth.gap = truth.receive;
  const NetworkModel model = model_of(truth);
  for (const char* name : {"g", "G of trains"}) {
    const Parameter gap = parameter(model, name, 64);
    EXPECT_EQ(gap.state, ParameterState::kNotIdentified) << name;
    EXPECT_FALSE(gap.estimate) << name;
    EXPECT_THAT(gap.why, HasSubstr("as fast as a rank is free")) << name;
  }
  const Parameter gap = parameter(model, "g", 64);
  ASSERT_TRUE(gap.at_most) << "it was measured";
  EXPECT_NEAR(gap.at_most->value, 400, 30);
  EXPECT_THAT(parameter_text(gap), testing::MatchesRegex("at most 0[.][0-9]+ us"));
}

TEST(NetworkModel, TrainsWithAnotherTimeAByteHaveAGapOfTheirOwn) {
  TrueNetwork truth;
  truth.gap = {{0, 700, 0.6}};
  const NetworkModel model = model_of(truth);
  EXPECT_NEAR(parameter(model, "G of trains", 64).estimate->value, 0.6, 0.03);
  EXPECT_NEAR(parameter(model, "G", 64).estimate->value, 0.4, 0.03);
}

TEST(NetworkModel, WhatWasNotMeasuredIsNotIdentified) {
  using enum SeriesKind;
  const NetworkModel model =
      model_of({}, {.without = {kSend, kSendToLate, kLateReceive, kLaterReceive, kTrain}});
  EXPECT_FALSE(model.detached.known);
  EXPECT_THAT(model.detached.why, HasSubstr("no sends to late receivers"));
  EXPECT_THAT(model.async.why, HasSubstr("not measured"));
  EXPECT_EQ(parameter(model, "o_s", 64).why, "no sends were measured");
  EXPECT_EQ(parameter(model, "o_r", 64).why, "no late receives were measured");
  EXPECT_EQ(parameter(model, "g", 64).why, "no trains were measured");
  EXPECT_NEAR(parameter(model, "o_s + L + o_r", 64).estimate->value, 2700, 100);
}

TEST(NetworkModel, TheAnalystsBreaksWin) {
  ModelOptions options = quick();
  options.breaks_bytes = {1000, 65535};
  const NetworkModel model = network_model(simulated(two_protocols()), options);
  const ModelSeries* send = model.find(SeriesKind::kSend);
  ASSERT_THAT(send->breaks, SizeIs(2));
  EXPECT_EQ(send->breaks[0].written_bytes, 1000);
  EXPECT_LE(send->breaks[0].last_bytes, 1000U);
  EXPECT_GT(send->breaks[0].first_bytes, 1000U);
}

TEST(NetworkModel, BreaksOutOfOrderOrOutsideOfTheDataAreFaults) {
  ModelOptions options = quick();
  options.breaks_bytes = {5000, 1000, 1e12};
  EXPECT_THROW(network_model(simulated(), options), base::UserError);
}

TEST(NetworkModel, HeldOutSizesArePredicted) {
  const NetworkModel model = model_of(two_protocols(), {.burst_every = 4});
  ASSERT_THAT(model.held_out.errors, Not(IsEmpty()));
  for (const HeldOutError& one : model.held_out.errors) {
    EXPECT_GE(one.sizes, 8U);
    EXPECT_LT(one.median, 0.05) << one.model << " " << info_of(one.key.kind).name;
  }
  EXPECT_THAT(model.held_out.errors, Contains(testing::Field(&HeldOutError::model, "LogGP")));
}

// Whoever takes the parameters from the table has an L of 0.
TEST(NetworkModel, HeldOutSizesArePredictedByParametersAsTheyAreTold) {
  TrueNetwork truth;
  truth.wire = {{0, -200, 0}};
  const NetworkModel model = model_of(truth);
  std::size_t asked = 0;
  for (const HeldOutSize& one : model.held_out.sizes) {
    if (one.model != "LogGP" || one.size_bytes > 1000) continue;
    const auto size = static_cast<double>(one.size_bytes);
    EXPECT_NEAR(one.predicted_ns, 700 + 0.25 * size, 0.04 * (700 + 0.25 * size)) << size;
    ++asked;
  }
  EXPECT_GT(asked, 2U);
}

TEST(NetworkModel, TwiceTheLatenessIsAControl) {
  const NetworkModel model = model_of({});
  ASSERT_TRUE(model.control);
  EXPECT_FALSE(model.control->differs);
  EXPECT_NEAR(model.control->ratio.value, 1, 0.02);
  NetworkData early = simulated();
  for (DataSeries& series : early.series) {
    if (series.key.kind != SeriesKind::kLateReceive) continue;
    for (SeriesObservation& one : series.observations) one.median_ns *= 1.3;
  }
  const NetworkModel warned = network_model(early, quick());
  EXPECT_TRUE(warned.control.value().differs);
  EXPECT_THAT(warned.warnings,
              Contains(testing::Field(&Warning::text, HasSubstr("not late enough"))));
}

TEST(NetworkModel, NamesStretchesInWhichEverythingWasSlower) {
  const NetworkModel model = model_of({}, {.burst_every = 7, .burst_factor = 2});
  ASSERT_THAT(model.stretches, SizeIs(2));
  EXPECT_EQ(model.stretches[0].group, 7U);
  EXPECT_EQ(model.stretches[1].group, 14U);
  EXPECT_NEAR(model.stretches[0].slowdown, 1, 0.1);
  EXPECT_THAT(model.warnings, Contains(testing::Field(&Warning::text, HasSubstr("group 7 ran"))));
  EXPECT_THAT(model_of({}).stretches, IsEmpty());
}

// A break in every burst would be a protocol that nobody has.
TEST(NetworkModel, BurstsAreNoBreaks) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const NetworkModel model = model_of({}, {.seed = seed, .burst_every = 3});
    EXPECT_THAT(model.find(SeriesKind::kRoundTrip)->pieces, SizeIs(1)) << seed;
  }
}

TEST(NetworkModel, OtherToolsRulesStandBesideIt) {
  const NetworkModel model = model_of(two_protocols());
  ASSERT_THAT(model.detectors, SizeIs(5));
  EXPECT_EQ(model.detectors[0].detector, "NetGauge");
  EXPECT_EQ(model.detectors[0].missing, "");
  EXPECT_GT(model.detectors[0].sizes, 50U);
  const NetworkModel without = model_of({}, {.without = {SeriesKind::kTrain}});
  EXPECT_THAT(without.detectors[0].missing, HasSubstr("trains"));
}

TEST(NetworkModel, CostsAreMeansOverGroups) {
  const NetworkModel model = model_of({});
  ASSERT_THAT(model.costs, SizeIs(3));
  EXPECT_EQ(model.costs[0].call, "MPI_Wtime");
  EXPECT_NEAR(model.costs[0].time_ns.value, 40, 0.5);
  EXPECT_TRUE(model.costs[0].time_ns.interval);
}

TEST(NetworkModel, OfOneLaunchGroupHasNoIntervals) {
  const NetworkModel model = model_of({}, {.parts = 1, .groups = 1});
  EXPECT_FALSE(parameter(model, "L", 64).estimate.value().interval);
  EXPECT_THAT(model.warnings, Contains(testing::Field(
                                  &Warning::text, HasSubstr("one launch group: no intervals"))));
  EXPECT_THAT(model.lacking, SizeIs(1)) << "sizes were held out";
}

TEST(NetworkModel, SaysThatNoSizeWasHeldOut) {
  EXPECT_THAT(model_of({}).lacking, IsEmpty());
  const NetworkModel model = model_of({}, {.held_out = 0});
  ASSERT_THAT(model.lacking, SizeIs(1));
  EXPECT_THAT(model.lacking[0], HasSubstr("no size was held out"));
  EXPECT_THAT(model.warnings,
              Contains(testing::Field(&Warning::text, HasSubstr("no size was held out"))));
}

TEST(NetworkModel, SaysHowManySizesHaveNoIntervals) {
  const NetworkModel model = model_of({}, {.parts = 4, .groups = 5});
  ASSERT_THAT(model.lacking, SizeIs(1));
  EXPECT_THAT(model.lacking[0], HasSubstr("75 of 100 sizes of round trips are in one launch"));
}

TEST(NetworkModel, IsTheSameForTheSameData) {
  const NetworkModel one = model_of(two_protocols());
  const NetworkModel other = model_of(two_protocols());
  EXPECT_EQ(parameter(one, "L", 64).estimate->interval,
            parameter(other, "L", 64).estimate->interval);
}

}  // namespace
}  // namespace invar::analysis
