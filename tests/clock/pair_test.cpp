#include "clock/pair.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "base/random.hpp"

namespace invar::clock {
namespace {

constexpr std::int64_t kUs = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000 * kUs;

struct Link {
  std::int64_t offset_ps = 1000 * kSecond;  // local - remote at local time 0
  double skew = 1e-5;                       // local against remote
  std::int64_t there_ps = 2 * kUs;
  std::int64_t back_ps = 2 * kUs;
  std::int64_t noise_ps = 0;  // half of the messages are late by up to this
  std::int64_t gap_ps = 100 * kUs;
};

// The remote clock as a function of the local one.
std::int64_t remote(const Link& link, std::int64_t local_ps) {
  return local_ps - link.offset_ps - std::llround(link.skew * static_cast<double>(local_ps));
}

std::vector<PingPong> series(const Link& link, int count, std::int64_t begin_ps = 0) {
  base::Random random(7);
  std::vector<PingPong> all;
  for (int i = 0; i < count; ++i) {
    const auto noise = [&] {
      return link.noise_ps == 0 || random.below(2) == 0
                 ? 0
                 : static_cast<std::int64_t>(
                       random.below(static_cast<std::uint64_t>(link.noise_ps)));
    };
    const std::int64_t send = begin_ps + i * link.gap_ps;
    const std::int64_t there = send + link.there_ps + noise();
    const std::int64_t back = there + link.back_ps + noise();
    all.push_back({send, remote(link, there), remote(link, there), back});
  }
  return all;
}

TEST(Pair, SymmetricConstantPathGivesTheOffsetExactly) {
  const std::vector<PingPong> all = series({.skew = 0}, 20);
  EXPECT_EQ(bounded_offset(all).offset_ps, 1000 * kSecond);
  EXPECT_EQ(smallest_trip_offset(all).offset_ps, 1000 * kSecond);
  EXPECT_EQ(median_offset(all, mean_round_trip_ps(all)).offset_ps, 1000 * kSecond);
}

TEST(Pair, BoundsContainTheOffsetWhateverTheAsymmetry) {
  const Link link{.skew = 0, .there_ps = 1 * kUs, .back_ps = 30 * kUs, .noise_ps = 5 * kUs};
  const Burst burst = summarise(series(link, 50));
  EXPECT_LE(burst.lowest_ps, link.offset_ps);
  EXPECT_GE(burst.highest_ps, link.offset_ps);
}

TEST(Pair, MeanRoundTripLeavesOutWhatIsAboveThreeHalvesOfTheThirdQuartile) {
  std::vector<PingPong> all = series({.skew = 0}, 100);
  for (int i = 0; i < 10; ++i) all[static_cast<std::size_t>(i) * 10].local_receive_ps += kSecond;
  EXPECT_DOUBLE_EQ(mean_round_trip_ps(all), 4.0 * kUs);
}

TEST(Pair, SmallestTripIgnoresADisturbedDirection) {
  std::vector<PingPong> all = series({.skew = 0}, 9);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != 4) all[i].local_receive_ps += 40 * kUs;
  }
  EXPECT_EQ(smallest_trip_offset(all).offset_ps, 1000 * kSecond);
}

TEST(Pair, LeastSquaresFindTheSkewOfAConstantPath) {
  const Link link;
  const std::vector<PingPong> all = series(link, 1000);
  std::vector<Offset> offsets;
  for (const PingPong& p : all) offsets.push_back(smallest_trip_offset({&p, 1}));
  const Model model = least_squares(offsets);
  EXPECT_NEAR(model.skew, link.skew, 1e-8);
  const std::int64_t t = 50'000 * kUs;
  EXPECT_NEAR(static_cast<double>(model.to_reference_ps(t) - remote(link, t)), 0, 500);
}

TEST(Pair, ABurstGivesBoundsAtAnotherTimeOnceTheSkewIsKnown) {
  // 100 ms at 1e-5: the offset moves by 1 us, half a one-way latency.
  const Link link{.gap_ps = 5000 * kUs};
  const Burst burst = summarise(series(link, 20));
  const std::int64_t at = burst.middle_at_ps();
  const double truth = static_cast<double>(at - remote(link, at) - link.offset_ps);
  const Burst::Bounds skewed = burst.bounds(at, 0, link.offset_ps);
  const Burst::Bounds right = burst.bounds(at, link.skew, link.offset_ps);
  EXPECT_NEAR(right.offset_ps, truth, 30);
  EXPECT_NEAR(right.width_ps, 4.0 * kUs, 100);
  EXPECT_LT(skewed.width_ps, 3.5 * kUs);
}

TEST(Pair, NothingMeasuredIsAnErrorNotAZero) {
  EXPECT_THROW(bounded_offset({}), std::invalid_argument);
  EXPECT_THROW(mean_round_trip_ps({}), std::invalid_argument);
  const std::vector<Offset> same(2, Offset{5, 7});
  EXPECT_THROW(least_squares(same), std::invalid_argument);
}

}  // namespace
}  // namespace invar::clock
