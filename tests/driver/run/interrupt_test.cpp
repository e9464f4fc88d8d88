#include "driver/run/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace invar::driver {
namespace {

class Interrupt : public testing::TestWithParam<int> {};

TEST_P(Interrupt, SignalOnlySetsAFlag) {
  const InterruptGuard guard;
  EXPECT_FALSE(interrupted());
  std::raise(GetParam());
  EXPECT_TRUE(interrupted());
  std::raise(GetParam());  // an impatient user presses twice: the launches are still ended first
  EXPECT_TRUE(interrupted());
}

TEST_P(Interrupt, NextCampaignOfTheProcessStartsWithoutIt) {
  {
    const InterruptGuard guard;
    std::raise(GetParam());
  }
  const InterruptGuard guard;
  EXPECT_FALSE(interrupted());
}

TEST_P(Interrupt, CampaignInsideOfALargerUndertakingKeepsWhatThatHasSeen) {
  const InterruptGuard all;
  std::raise(GetParam());
  { const InterruptGuard campaign; }
  EXPECT_TRUE(interrupted());
  std::raise(GetParam());  // still only a flag
}

TEST_P(Interrupt, AfterwardsTheSignalEndsTheProcessAgain) {
  EXPECT_EXIT(
      {
        { const InterruptGuard guard; }
        std::raise(GetParam());
        std::exit(0);
      },
      testing::KilledBySignal(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace invar::driver
