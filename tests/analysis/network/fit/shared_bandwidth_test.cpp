// What messages at once move together, of planted times.
#include "analysis/network/fit/shared_bandwidth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/planted.hpp"
#include "base/random.hpp"

namespace invar::analysis {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::vector<GroupWeight>> resamples_of(std::uint32_t groups) {
  std::vector<GroupWeight> all;
  for (std::uint32_t group = 1; group <= groups; ++group) all.push_back({.group = group});
  return resampled_groups(all, 199, 3);
}

// Two visits in each launch group, whose luck has this deviation.
std::vector<SharedObservation> observed(std::uint64_t size_bytes, std::size_t flows, double gb_s,
                                        std::uint32_t groups, double group_sd, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<SharedObservation> all;
  for (std::uint32_t group = 1; group <= groups; ++group) {
    const double time_ns = static_cast<double>(flows) * static_cast<double>(size_bytes) / gb_s *
                           std::exp(group_sd * planted::normal(random));
    for (const double visit : {0.99, 1.01}) {
      all.push_back({.size_bytes = size_bytes,
                     .group = group,
                     .pairs = flows / 2,
                     .flows = flows,
                     .median_ns = time_ns * visit});
    }
  }
  return all;
}

TEST(SharedBandwidth, IsAllBytesOverTheTime) {
  const SharedBandwidth made = shared_bandwidth(observed(1 << 20, 4, 8, 6, 0, 1), {}, 0.95);
  ASSERT_THAT(made.points, SizeIs(1));
  EXPECT_EQ(made.points[0].pairs, 2U);
  EXPECT_EQ(made.points[0].groups, 6U);
  EXPECT_NEAR(made.points[0].gb_s.value, 8, 1e-3);
  EXPECT_FALSE(made.points[0].gb_s.interval) << "nothing was resampled";
  EXPECT_DOUBLE_EQ(made.most_gb_s.value().value, made.points[0].gb_s.value);
}

TEST(SharedBandwidth, IsTheMostOverSizes) {
  std::vector<SharedObservation> all = observed(1 << 18, 2, 11, 8, 0.01, 1);
  for (const SharedObservation& one : observed(1 << 22, 2, 5, 8, 0.01, 2)) all.push_back(one);
  const SharedBandwidth made = shared_bandwidth(all, resamples_of(8), 0.95);
  ASSERT_THAT(made.points, SizeIs(2));
  EXPECT_EQ(made.points[0].size_bytes, 1U << 18U);
  EXPECT_NEAR(made.points[1].gb_s.value, 5, 0.1);
  EXPECT_NEAR(made.most_gb_s.value().value, 11, 0.2);
  EXPECT_GT(made.most_gb_s->interval.value().low, 10);
}

TEST(SharedBandwidth, OfNothingIsNone) {
  const SharedBandwidth made = shared_bandwidth({}, resamples_of(5), 0.95);
  EXPECT_THAT(made.points, IsEmpty());
  EXPECT_FALSE(made.most_gb_s);
}

// Launch groups are what differs: intervals are as wide as these.
TEST(SharedBandwidth, IntervalsHoldThePlantedTruth) {
  constexpr int kTimes = 200;
  int inside = 0;
  for (int seed = 1; seed <= kTimes; ++seed) {
    const auto all = observed(1 << 20, 2, 6, 10, 0.05, static_cast<std::uint64_t>(seed));
    const SharedBandwidth made = shared_bandwidth(all, resamples_of(10), 0.95);
    const stats::Interval interval = made.most_gb_s.value().interval.value();
    inside += interval.low <= 6 && 6 <= interval.high ? 1 : 0;
    EXPECT_LT(interval.high - interval.low, 1.2);
  }
  // 95 % of 200, less three deviations.
  EXPECT_GE(inside, 180);
}

}  // namespace
}  // namespace invar::analysis
