// What a simulator is told of a network's model.
#include "analysis/network/network_platform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/network/simulated_network.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using planted::simulated;
using planted::TrueNetwork;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TrueNetwork stepped() {
  TrueNetwork truth;
  truth.send = {{0, 300, 0.1}, {2048, 900, 0.05}};
  return truth;
}

struct MadePlatform {
  NetworkData data = {};
  NetworkModel model = {};
  platform::PlatformModel platform = {};
};

MadePlatform made_of(const TrueNetwork& truth, const planted::SimulatedCampaign& campaign = {}) {
  MadePlatform made{.data = simulated(truth, campaign)};
  made.model = network_model(made.data, {.resamples = 49});
  made.platform = platform_model(made.model, made.data, {.selector = "ompi"});
  return made;
}

TEST(PlatformOfAModel, HasItsPiecesThresholdsAndCosts) {
  const MadePlatform made = made_of(stepped());
  const platform::PlatformModel& told = made.platform;
  ASSERT_THAT(told.send, SizeIs(2)) << "of sends that do not wait";
  EXPECT_EQ(told.send[0].from_bytes, 0);
  EXPECT_EQ(told.send[1].from_bytes,
            static_cast<double>(made.model.find(SeriesKind::kSend)->pieces[0].sizes.to_bytes));
  EXPECT_NEAR(told.send[0].intercept_ns, 300, 20);
  EXPECT_NEAR(platform::line_ns(told.half_round_trip, 1024), stepped().half_ns(1024), 150);
  EXPECT_EQ(told.detached_bytes, made.model.detached.last_bytes.value() + 1);
  EXPECT_NEAR(told.latency_ns, 2000, 200);
  EXPECT_NEAR(told.wtime_ns.value(), 40, 1);
  EXPECT_EQ(told.selector, "ompi");
  EXPECT_EQ(told.pairs_are, platform::PairsAre::kBetweenHosts);
  // 1 MiB in half a round trip.
  EXPECT_NEAR(told.pair_bandwidth_gb_s, 1 / 0.6, 0.1);
}

TEST(PlatformOfAModel, HasWhatMessagesReachTogetherWhereThatWasMeasured) {
  EXPECT_FALSE(made_of({}).platform.shared_bandwidth_gb_s);
  MadePlatform made{.data = simulated()};
  for (std::uint32_t group = 1; group <= 20; ++group) {
    made.data.shared.push_back(
        {.size_bytes = 4096, .group = group, .pairs = 2, .flows = 4, .median_ns = 4096});
  }
  made.model = network_model(made.data, {.resamples = 49});
  made.platform = platform_model(made.model, made.data, {});
  EXPECT_NEAR(made.platform.shared_bandwidth_gb_s.value(), 4, 1e-9);
  for (const std::string& sentence : platform::unmeasured(made.platform)) {
    EXPECT_THAT(sentence, Not(HasSubstr("reach together")));
  }
}

TEST(PlatformOfAModel, HasTheAnalystsBreaksAsTheyWereWritten) {
  const NetworkData data = simulated(stepped());
  ModelOptions options{.resamples = 49};
  options.breaks_bytes = {2047, 65535};
  const NetworkModel model = network_model(data, options);
  ASSERT_LT(model.find(SeriesKind::kSend)->pieces[0].sizes.to_bytes, 2047U);
  const platform::PlatformModel told = platform_model(model, data, {});
  EXPECT_EQ(told.send.at(1).from_bytes, 2047);
  EXPECT_EQ(told.half_round_trip.at(2).from_bytes, 65535);
}

// A campaign adds sizes where a series breaks, to that series alone: of late receives the last size
// of one way may be larger than that of sends.
TEST(PlatformOfAModel, OfSeriesWithUnlikeSizesAsyncIsNotAboveDetached) {
  TrueNetwork truth;
  truth.detached_bytes = truth.async_bytes = 4096;
  NetworkData data = simulated(truth);
  for (DataSeries& series : data.series) {
    if (series.key.kind != SeriesKind::kLateReceive) continue;
    for (std::uint32_t group = 1; group <= 20; ++group) {
      for (const std::uint64_t size : {4093U, 4095U}) {
        series.observations.push_back({.size_bytes = size,
                                       .group = group,
                                       .median_ns = truth.late_receive_ns(size),
                                       .mean_ns = truth.late_receive_ns(size),
                                       .lateness_ns = 3 * truth.half_ns(size)});
      }
    }
  }
  const NetworkModel model = network_model(data, {.resamples = 49});
  ASSERT_LT(model.detached.last_bytes.value(), 4093U);
  const platform::PlatformModel told = platform_model(model, data, {});
  EXPECT_EQ(told.detached_bytes, *model.detached.last_bytes + 1);
  EXPECT_EQ(told.async_bytes, told.detached_bytes);
}

TEST(PlatformOfAModel, HasTheSpreadOfRepetitions) {
  const MadePlatform made = made_of({}, {.burst_every = 2, .burst_share = 0.3});
  const std::vector<platform::NoisePart>& noise = made.platform.half_round_trip.front().noise;
  ASSERT_THAT(noise, Not(IsEmpty()));
  double share = 0;
  for (const platform::NoisePart& part : noise) share += part.share;
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_NEAR(noise.front().factor, 1, 0.05);
  EXPECT_NEAR(noise.back().factor, 3, 0.3) << "bursts are a part of it";
}

// One repetition of 2 ms in a thousand: the others keep their time, and it keeps its own.
TEST(PlatformOfAModel, HasInterruptionsBesideTheNoise) {
  MadePlatform made{.data = simulated()};
  std::size_t all = 0;
  std::size_t hit = 0;
  for (DataSeries& series : made.data.series) {
    if (series.key.kind != SeriesKind::kRoundTrip) continue;
    for (SeriesObservation& one : series.observations) {
      all += one.ratios.size();
      if (one.size_bytes > 4096 || hit >= 5) continue;
      one.ratios.back() = static_cast<float>(1 + 2e6 / one.median_ns);
      ++hit;
    }
  }
  made.model = network_model(made.data, {.resamples = 49});
  made.platform = platform_model(made.model, made.data, {});
  ASSERT_EQ(hit, 5U);
  const platform::Interruptions& found = made.platform.interruptions;
  // Half of a round trip's: it has two messages.
  EXPECT_NEAR(found.share, 0.5 * 5 / static_cast<double>(all), 0.2 * found.share);
  EXPECT_NEAR(found.duration_ns, 2e6, 1e4);
  for (const platform::NoisePart& part : made.platform.half_round_trip.front().noise) {
    EXPECT_LT(part.factor, 2) << "they are no part of the noise";
  }
}

// Without L there still is a route, whose time factors divide.
TEST(PlatformOfAModel, OfALatencyOnItsBoundTakesHalfARoundTrip) {
  TrueNetwork truth;
  truth.wire = {{0, -200, 0}};
  const MadePlatform made = made_of(truth);
  EXPECT_NEAR(made.platform.latency_ns, 500, 60);
}

// PLogP's L is half a round trip less g, which is not the latency of a route.
TEST(PlatformOfAModel, WithoutLogGPsLatencyTakesHalfARoundTrip) {
  const NetworkData data = simulated();
  NetworkModel model = network_model(data, {.resamples = 49});
  const double half_ns = model.find(SeriesKind::kRoundTrip)->points.front().mean_ns;
  for (Parameter& one : model.joint.parameters) {
    if (one.name != "L" || one.model == "PLogP") continue;
    one.state = ParameterState::kNotIdentified;
  }
  EXPECT_EQ(platform_model(model, data, {}).latency_ns, half_ns);
}

TEST(PlatformOfAModel, NamesEveryOperationThatWasNotMeasured) {
  using enum SeriesKind;
  const NetworkData data = simulated({}, {.without = {kIsend, kLateReceive, kLaterReceive}});
  const NetworkModel model = network_model(data, {.resamples = 49});
  try {
    platform_model(model, data, {});
    FAIL() << "there is no platform without overheads";
  } catch (const base::UserError& error) {
    ASSERT_THAT(error.faults(), SizeIs(2));
    EXPECT_THAT(error.faults()[0].what, HasSubstr("MPI_Isend was not measured"));
    EXPECT_THAT(error.faults()[1].remedy, HasSubstr("operation = \"recv\""));
  }
}

TEST(SelectorOf, FollowsFromTheLibrarysOwnName) {
  EXPECT_EQ(selector_of("Open MPI v4.1.4, package: Debian OpenMPI"), "ompi");
  EXPECT_EQ(selector_of("MPICH Version:      4.0.2"), "mpich");
  EXPECT_EQ(selector_of("Intel(R) MPI Library 2021.10 for Linux* OS"), "impi");
  EXPECT_EQ(selector_of("MVAPICH2 Version: 2.3.7 (MPICH 3.2.1)"), "mvapich2");
  EXPECT_EQ(selector_of("something else"), "");
}

}  // namespace
}  // namespace invar::analysis
