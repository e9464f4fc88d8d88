#include "engine/timed/uncertainty.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace invar::engine::test {
namespace {

std::vector<std::int64_t> all(std::int64_t ps) { return {ps, ps, ps}; }

TEST(TooUncertain, IsMoreThanTwoPercentAndMoreThanAFifthOfAMicrosecond) {
  EXPECT_FALSE(too_uncertain(all(1'000'000), all(200'000))) << "20 %, but 0.2 us";
  EXPECT_TRUE(too_uncertain(all(1'000'000), all(200'001)));
  EXPECT_FALSE(too_uncertain(all(50'000'000), all(1'000'000))) << "1 us, but 2 %";
  EXPECT_TRUE(too_uncertain(all(50'000'000), all(1'000'001)));
}

// 0.3 us are more than 2 % of 11 us and less than those of 40 us.
TEST(TooUncertain, LongRepetitionsOfAVisitDoNotCountAlone) {
  EXPECT_TRUE(too_uncertain({11'000'000, 14'000'000, 40'000'000}, all(300'000)));
  EXPECT_FALSE(too_uncertain({11'000'000, 16'000'000, 40'000'000}, all(300'000)));
}

TEST(TooUncertain, NoRepetitionsAreNot) { EXPECT_FALSE(too_uncertain({}, {})); }

}  // namespace
}  // namespace invar::engine::test
