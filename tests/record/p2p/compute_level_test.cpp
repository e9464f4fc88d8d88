// What ranks compute meanwhile, and by which cells that is compared.
#include "record/p2p/compute_level.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Compute, IsATimeOrAMultipleOfACall) {
  EXPECT_TRUE(parse_compute("off")->off());
  EXPECT_EQ(parse_compute("10000ns"), (Compute{.ns = 10000}));
  EXPECT_EQ(parse_compute("0.5x"), (Compute{.calls = 0.5}));
  EXPECT_EQ(parse_compute("only:0.5x"), (Compute{.calls = 0.5, .alone = true}));
  for (const char* text : {"", "0ns", "0x", "-1x", "10us", "1", "x", "only:", "only:off", "nanx"}) {
    EXPECT_FALSE(parse_compute(text)) << text;
  }
}

TEST(Compute, AsPeopleWriteItHasAnyUnitOfTime) {
  EXPECT_EQ(compute_level("10us").text, "10000ns");
  EXPECT_EQ(compute_level("1.5x").text, "1.5x");
  EXPECT_EQ(compute_level("only:2ms").text, "only:2000000ns");
  EXPECT_EQ(compute_level("off").text, "off");
  EXPECT_THAT(compute_level("2s").complaint, HasSubstr("longer than 1 s or 1000 calls"));
  EXPECT_THAT(compute_level("1001x").complaint, HasSubstr("longer than 1 s or 1000 calls"));
  EXPECT_THAT(compute_level("much").complaint, HasSubstr("no amount of computation"));
}

// Overlap is about the call, the computation, and both at once.
TEST(Compute, IsMeasuredBesideTheMessagesAndAlone) {
  EXPECT_THAT(expand_compute("0.5x", 2), ElementsAre("0.5x", "only:0.5x"));
  EXPECT_EQ(compute_alone("10000ns"), "only:10000ns");
  EXPECT_THAT(expand_compute("off", 2), ElementsAre("off"));
  EXPECT_THAT(expand_compute("only:0.5x", 2), ElementsAre("only:0.5x"));
}

}  // namespace
}  // namespace invar::record
