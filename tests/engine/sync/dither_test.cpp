// The random wait before a repetition, on a clock that the test drives.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/driven_clock.hpp"
#include "engine/sync/sync.hpp"

namespace invar::engine::test {
namespace {

TEST(DitherTest, WaitsLessThanItsAmplitudeAndAllOfItsRange) {
  DrivenTime time;
  Dither dither(42, 1000);
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  double sum = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t before = time.now;
    dither.wait(DrivenClock{&time});
    const std::int64_t waited = time.now - before;
    least = std::min(least, waited);
    most = std::max(most, waited);
    sum += static_cast<double>(waited);
  }
  EXPECT_LT(least, 10);
  EXPECT_GT(most, 990);
  EXPECT_LE(most, 1002);
  EXPECT_NEAR(sum / kDraws, 500, 25);  // five standard errors
}

// Ticks of MPI_Wtime are picoseconds: a second is above 2^39 of them.
TEST(DitherTest, LongAmplitudesAreUsedToTheirEnd) {
  DrivenTime time;
  time.step = std::int64_t{1} << 30U;
  Dither dither(42, 1'000'000'000'000);
  std::int64_t most = 0;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t before = time.now;
    dither.wait(DrivenClock{&time});
    most = std::max(most, time.now - before);
  }
  EXPECT_GT(most, 900'000'000'000);
  EXPECT_LT(most, 1'004'000'000'000);
}

TEST(DitherTest, RanksDrawDifferentlyAndTheSameSeedDrawsTheSame) {
  const auto draws = [](std::uint64_t seed) {
    DrivenTime time;
    Dither dither(seed, 100'000);
    std::vector<std::int64_t> ends;
    for (int i = 0; i < 20; ++i) {
      dither.wait(DrivenClock{&time});
      ends.push_back(time.now);
    }
    return ends;
  };
  EXPECT_EQ(draws(2), draws(2));
  EXPECT_NE(draws(2), draws(4));
}

TEST(DitherTest, SwitchedOffItDoesNotEvenReadTheClock) {
  DrivenTime time;
  Dither dither(1, 0);
  dither.wait(DrivenClock{&time});
  EXPECT_EQ(time.readings, 0);
}

}  // namespace
}  // namespace invar::engine::test
