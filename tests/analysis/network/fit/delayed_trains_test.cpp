// What a message adds beside the delay between two, of planted trains.
#include "analysis/network/fit/delayed_trains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted.hpp"
#include "base/random.hpp"

namespace invar::analysis {
namespace {

constexpr double kOverheadNs = 30;
constexpr double kDelayNs = 900;

DataSeries trains(std::uint32_t messages, bool delayed, std::uint32_t groups, double sd_ns) {
  DataSeries made{.key = {.kind = SeriesKind::kTrain, .messages = messages, .delayed = delayed}};
  base::Random random(messages);
  for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{5000}}) {
    for (std::uint32_t group = 1; group <= groups; ++group) {
      // For 5000 B the network takes longer than the sender's delay.
      const double each_ns = size == 5000 ? 4000 : kDelayNs + kOverheadNs;
      made.observations.push_back(
          {.size_bytes = size,
           .group = group,
           .median_ns = 2000 + (messages - 1) * (each_ns + sd_ns * planted::normal(random)),
           .delay_ns = delayed ? kDelayNs : 0});
    }
  }
  return made;
}

TEST(DelayedTrains, SayTheSendersOverheadOfSizesWhoseSendsDoNotWait) {
  const NetworkData data{.series = {trains(1, false, 6, 0), trains(10, true, 6, 1)}};
  const auto found = delayed_overhead(data, 256, 0.95);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sizes, (ByteRange{.from_bytes = 1, .to_bytes = 100}));
  EXPECT_EQ(found->groups, 6U);
  EXPECT_DOUBLE_EQ(found->delay_ns, kDelayNs);
  EXPECT_NEAR(found->overhead_ns.value, kOverheadNs, 2);
  ASSERT_TRUE(found->overhead_ns.interval);
  EXPECT_LE(found->overhead_ns.interval->low, kOverheadNs);
  EXPECT_GE(found->overhead_ns.interval->high, kOverheadNs);
}

TEST(DelayedTrains, AreNoneWithoutSinglesOrDelaysOrSmallSizes) {
  EXPECT_FALSE(delayed_overhead({.series = {trains(10, true, 3, 0)}}, 256, 0.95));
  EXPECT_FALSE(
      delayed_overhead({.series = {trains(1, false, 3, 0), trains(10, false, 3, 0)}}, 256, 0.95));
  EXPECT_FALSE(
      delayed_overhead({.series = {trains(1, false, 3, 0), trains(10, true, 3, 0)}}, 0, 0.95));
}

}  // namespace
}  // namespace invar::analysis
