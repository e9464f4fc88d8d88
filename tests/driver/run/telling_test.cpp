// What is said of a run.
#include "driver/run/telling.hpp"

#include <gtest/gtest.h>

namespace invar::driver {
namespace {

TEST(RepeatedWarning, IsToldWithTheNumberOfItsGroups) {
  EXPECT_EQ(repeated_text("'a' did not end", 7, 12), "in 7 of 12 groups: 'a' did not end");
}

}  // namespace
}  // namespace invar::driver
