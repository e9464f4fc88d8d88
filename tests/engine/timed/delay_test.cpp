// Delays that are planted to be found again.
#include "engine/timed/delay.hpp"

#include <gtest/gtest.h>

namespace invar::engine {
namespace {

TEST(Delay, StepsAreThoseNextToTheTimeAskedFor) {
  const DelayRate rate{.step_ps = 1250};
  EXPECT_EQ(rate.steps(0), 0U);
  EXPECT_EQ(rate.steps(10), 8U);
  EXPECT_EQ(rate.steps(1000), 800U);
}

TEST(Delay, WithoutARateThereIsNone) { EXPECT_EQ(DelayRate{}.steps(1000), 0U); }

// A busy machine makes one of them longer now and then, but not every time.
TEST(Delay, ShortChainsTakeAsLongAStepAsALongOne) {
  DelayRate rate = measure_delay_rate();
  for (int i = 0; i < 50 && (rate.check < 0.5 || rate.check > 2); ++i) rate = measure_delay_rate();
  EXPECT_GT(rate.step_ps, 200) << "a multiplication takes longer than that on any processor";
  EXPECT_GT(rate.check, 0.5);
  EXPECT_LT(rate.check, 2);
}

}  // namespace
}  // namespace invar::engine
