// Amounts of time as levels of several factors have them.
#include "record/amount.hpp"

#include <gtest/gtest.h>

namespace invar::record {
namespace {

TEST(Amount, IsATimeOrAMultipleOfACall) {
  EXPECT_EQ(parse_amount("10000ns"), Amount{.ns = 10000});
  EXPECT_EQ(parse_amount("0.5x"), Amount{.calls = 0.5});
  for (const char* text : {"", "x", "ns", "0ns", "0x", "-1x", "10us", "1", "nanx", "5nsx", "off"}) {
    EXPECT_FALSE(parse_amount(text)) << text;
  }
}

TEST(Amount, TakesAsLongAsItSaysOrAsTheCallsThatItMultiplies) {
  EXPECT_NEAR(parse_amount("2500ns")->seconds(1e-3), 2500e-9, 1e-15);
  EXPECT_NEAR(parse_amount("0.5x")->seconds(1e-3), 5e-4, 1e-15);
  EXPECT_FALSE(parse_amount("1000000000ns")->too_long() || parse_amount("1000x")->too_long());
  EXPECT_TRUE(parse_amount("1000000001ns")->too_long() && parse_amount("1001x")->too_long());
}

TEST(PlannedAmount, HasNanoseconds) {
  EXPECT_EQ(planned_amount("10us"), "10000ns");
  EXPECT_EQ(planned_amount("2s"), "2000000000ns") << "whether that is too long says who asks";
  EXPECT_EQ(planned_amount("1.5x"), "1.5x");
  EXPECT_EQ(planned_amount("10000ns"), "10000ns");
  for (const char* text : {"", "off", "much", "0us", "-1us", "10"}) {
    EXPECT_FALSE(planned_amount(text)) << text;
  }
}

}  // namespace
}  // namespace invar::record
