// When a group counts as hung: limits of the driver and of ranks that watch, and the time that
// counts.
#include "group/stillness.hpp"

#include <gtest/gtest.h>

namespace invar::group::test {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

TEST(Patience, TheDriverSpeaksAtTheLimitAndAWatcherOnlyIfItDoesNot) {
  for (const std::uint64_t limit_s : {1U, 20U, 600U}) {
    const std::uint64_t limit_ns = limit_s * static_cast<std::uint64_t>(kSecondNs);
    EXPECT_EQ(patience_ns(limit_ns, Onlooker::kDriver), static_cast<std::int64_t>(limit_ns));
    EXPECT_EQ(patience_ns(limit_ns, Onlooker::kWatcher),
              static_cast<std::int64_t>(limit_ns + limit_ns / 4) + kSecondNs);
  }
}

// It looks four times a second, and then has to end the launches.
TEST(Patience, AWatcherLeavesTheDriverTimeToLook) {
  const auto least = patience_ns(0, Onlooker::kWatcher) - patience_ns(0, Onlooker::kDriver);
  EXPECT_GE(least, kSecondNs);
}

TEST(CountedTime, LooksInARowCountWhatHasPassed) {
  CountedTime time;
  EXPECT_EQ(time.look(5 * kSecondNs), 0) << "the first look";
  EXPECT_EQ(time.look(5 * kSecondNs + 200), 200);
  EXPECT_EQ(time.look(5 * kSecondNs + 500), 500);
  EXPECT_EQ(time.ns(), 500);
}

TEST(CountedTime, WhoWasStoppedCountsASecondOfIt) {
  CountedTime time;
  time.look(0);
  EXPECT_EQ(time.look(3600 * kSecondNs), kSecondNs) << "SIGSTOP for an hour";
  EXPECT_EQ(time.look(3600 * kSecondNs + 200), kSecondNs + 200) << "and then as before";
}

TEST(Stillness, CountsFromTheLastChange) {
  Stillness stillness;
  EXPECT_EQ(stillness.look(1, 0), 0);
  EXPECT_EQ(stillness.look(1, 300), 300);
  EXPECT_EQ(stillness.look(2, 500), 0) << "something moved";
  EXPECT_EQ(stillness.look(2, 900), 400);
}

// Slurm suspends a job with SIGSTOP to all of its processes, the one that looks included.
TEST(Stillness, TimeInWhichTheWholeJobWasStoppedIsNoHang) {
  constexpr std::int64_t kLimitNs = 20 * kSecondNs;
  Stillness stillness;
  std::int64_t now_ns = 0;
  for (int hour = 0; hour < 5; ++hour) {
    EXPECT_LT(stillness.look(1, now_ns), kLimitNs);
    now_ns += 3600 * kSecondNs;
  }
  // A rank that hangs is seen all the same, as soon as it is looked for again and again.
  std::int64_t looked = 0;
  while (stillness.look(1, now_ns) <= kLimitNs && ++looked < 1000) now_ns += 200'000'000;
  EXPECT_GT(looked, 10);
  EXPECT_LT(looked, 101);
}

TEST(Stillness, ForgivenItBeginsAnew) {
  Stillness stillness;
  stillness.look(1, 0);
  stillness.look(1, kSecondNs);
  stillness.forgive();
  EXPECT_EQ(stillness.look(1, kSecondNs + 100), 100);
}

TEST(AllStopped, ASuspendedJobIsToldFromARankThatIsStopped) {
  const RankSeen running{.pid = 10, .state = ProcessState::kAlive};
  const RankSeen asleep{.pid = 11, .state = ProcessState::kAsleep};
  const RankSeen stopped{.pid = 12, .state = ProcessState::kStopped};
  const RankSeen to_come{.pid = 0};
  EXPECT_TRUE(all_stopped(std::vector{stopped, stopped}));
  EXPECT_TRUE(all_stopped(std::vector{stopped, to_come})) << "it was suspended while it started";
  EXPECT_FALSE(all_stopped(std::vector{stopped, running}));
  EXPECT_FALSE(all_stopped(std::vector{stopped, asleep}));
  EXPECT_FALSE(all_stopped(std::vector{to_come})) << "nobody has come";
  EXPECT_FALSE(all_stopped({}));
  EXPECT_FALSE(all_stopped(std::vector{stopped})) << "nobody could ever name it";
}

}  // namespace
}  // namespace invar::group::test
