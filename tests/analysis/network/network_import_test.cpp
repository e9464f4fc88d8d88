// SimGrid's calibration: no launches, stretches of time in their place.
#include "analysis/network/network_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analysis/network/network.hpp"
#include "analysis/planted.hpp"
#include "base/random.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// 200 sizes in random order, five calls of each: os = 1 us + 0.1 ns/B, or = 2 us + 0.2 ns/B, half a
// round trip 30 us + 9 ns/B.
platform::Calibration planted_calibration() {
  platform::Calibration made{.prefix = "planted", .wtime_s = 40e-9};
  base::Random random(5);
  const auto noisy = [&](double us) {
    return us * 1e-6 * std::exp(0.02 * planted::normal(random));
  };
  double start_s = 0;
  for (int i = 0; i < 200; ++i) {
    const auto size = static_cast<std::uint64_t>(std::exp(13 * random.uniform()));
    const auto bytes = static_cast<double>(size);
    for (int k = 0; k < 5; ++k) {
      start_s += 0.001;
      const double send = noisy(1 + 0.0001 * bytes);
      made.isend.push_back({.size_bytes = size, .start_s = start_s, .duration_s = send});
      made.receive.push_back(
          {.size_bytes = size, .start_s = start_s, .duration_s = noisy(2 + 0.0002 * bytes)});
      made.ping_pong.push_back({.size_bytes = size,
                                .start_s = start_s,
                                .send_s = send,
                                .receive_s = noisy(2 * (30 + 0.009 * bytes)) - send});
    }
  }
  for (int i = 0; i < 100; ++i) {
    made.test.push_back({.size_bytes = 1, .start_s = start_s, .duration_s = noisy(0.3)});
  }
  made.breaks = {{.first_bytes = 1000, .name = "Small"},
                 {.first_bytes = 30000, .name = "Asynchronous"},
                 {.first_bytes = 60000, .name = "Detached"}};
  return made;
}

TEST(ImportedData, ConsecutiveCallsOfASizeAreAVisit) {
  platform::Calibration calibration;
  for (const auto& [size, start] : {std::pair(8U, 1.0), {8U, 1.1}, {64U, 1.2}, {8U, 1.3}}) {
    calibration.isend.push_back({.size_bytes = size, .start_s = start, .duration_s = 2e-6});
  }
  const NetworkData data = network_data(calibration);
  const DataSeries* isend = data.find({SeriesKind::kIsend});
  ASSERT_NE(isend, nullptr);
  ASSERT_THAT(isend->observations, SizeIs(3));
  EXPECT_EQ(isend->observations[0].repetitions, 2U);
  EXPECT_EQ(isend->observations[0].median_ns, 2000);
  EXPECT_FALSE(data.launches);
}

TEST(ImportedData, StretchesOfEveryFileAreItsOwn) {
  const NetworkData data = network_data(planted_calibration());
  std::set<std::uint32_t> seen;
  for (const DataSeries& series : data.series) {
    std::set<std::uint32_t> own;
    for (const SeriesObservation& one : series.observations) own.insert(one.group);
    EXPECT_THAT(own, SizeIs(kStretches));
    for (const std::uint32_t group : own) EXPECT_TRUE(seen.insert(group).second) << group;
  }
  EXPECT_THAT(data.series, SizeIs(4));
  EXPECT_EQ(data.groups, kStretches);
}

TEST(ImportedData, TakesTheClockOffAndHoldsSizesOut) {
  const NetworkData data = network_data(planted_calibration());
  EXPECT_NEAR(data.reading_ns.value(), 40, 1e-9);
  ASSERT_THAT(data.costs, SizeIs(2));
  EXPECT_NEAR(data.costs[1].observations.front().median_ns, 260, 10);
  EXPECT_GT(data.held_out.size(), 10U);
}

// Sending and receiving were timed apart.
TEST(ImportedData, TakesTwoReadingsOffARoundTripAndOneOffACall) {
  platform::Calibration calibration{.wtime_s = 40e-9};
  calibration.ping_pong.push_back({.size_bytes = 8, .send_s = 1e-6, .receive_s = 2e-6});
  calibration.receive.push_back({.size_bytes = 8, .duration_s = 1e-6});
  const NetworkData data = network_data(calibration);
  const auto time_ns = [&](SeriesKind kind) {
    return data.find({kind})->observations.front().median_ns;
  };
  EXPECT_NEAR(time_ns(SeriesKind::kRoundTrip), 2920, 1e-6);
  EXPECT_NEAR(time_ns(SeriesKind::kSend), 960, 1e-6);
  EXPECT_NEAR(time_ns(SeriesKind::kLateReceive), 960, 1e-6);
}

TEST(ImportedModel, HasTheLinesThatWerePlantedAndSaysThatThereAreNoLaunches) {
  const NetworkData data = network_data(planted_calibration());
  const Network found = network_of(data, {.resamples = 49}, "SimGrid's calibration");
  const NetworkModel& model = found.models.front();
  const ModelSeries* half = model.find(SeriesKind::kRoundTrip);
  ASSERT_THAT(half->pieces, SizeIs(1));
  EXPECT_NEAR(half->pieces[0].intercept_ns.value, 30000, 500);
  EXPECT_NEAR(half->pieces[0].slope_ns.value, 9, 0.1);
  EXPECT_TRUE(half->pieces[0].slope_ns.interval);
  for (const HeldOutError& error : model.held_out.errors) EXPECT_LT(error.median, 0.05);
  EXPECT_THAT(found.scope, HasSubstr("no launches"));
  EXPECT_THAT(found.warnings,
              Contains(testing::Field(&Warning::text, HasSubstr("stretches of time"))));
  EXPECT_NO_THROW(answer_of(found));
}

TEST(ImportedModel, TheAnalystsBreaksAndThresholdsWin) {
  const platform::Calibration calibration = planted_calibration();
  NetworkData data = network_data(calibration);
  ModelOptions options{.resamples = 49};
  take_breaks(calibration, data, options);
  EXPECT_THAT(options.breaks_bytes, ElementsAre(999, 29999, 59999));
  const NetworkModel model = network_model(data, options);
  EXPECT_EQ(model.async.first_bytes, 30000U);
  EXPECT_EQ(model.detached.first_bytes, 60000U);
  EXPECT_EQ(model.detached.why, "the analyst's");
  EXPECT_THAT(model.find(SeriesKind::kIsend)->pieces, SizeIs(4));
}

}  // namespace
}  // namespace invar::analysis
