// What a batch job says of its hosts, in Slurm's words.
#include "launch/systems/slurm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RepeatedNumbers, AreWrittenOut) {
  EXPECT_THAT(repeated_numbers("2(x3),4"), ElementsAre(2, 2, 2, 4));
  EXPECT_THAT(repeated_numbers("4"), ElementsAre(4));
  EXPECT_THAT(repeated_numbers("1,2,1"), ElementsAre(1, 2, 1));
  EXPECT_THAT(repeated_numbers("128(x2),64(x1)"), ElementsAre(128, 128, 64));
}

TEST(RepeatedNumbers, OfSomethingElseAreNone) {
  for (const char* text :
       {"", " ", "x", "2(x3", "2(x)", "2(xa)", "2(3)", "(x3)", "2,", ",2", "2,,4", "-2", "2.5",
        "2(x-1)", "2(x3)4", "2(x3),node4", "2(x9999999999)"}) {
    EXPECT_THAT(repeated_numbers(text), IsEmpty()) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace invar::launch
