#include "record/operation/reduction_cost.hpp"

#include <gtest/gtest.h>

namespace invar::record {
namespace {

TEST(ReductionCosts, AreReadAsASimulatorsOverheads) {
  const auto costs = parse_reduction_costs("0:1e-07:2e-10;4096:5e-07:1e-10");
  ASSERT_TRUE(costs);
  ASSERT_EQ(costs->size(), 2U);
  EXPECT_EQ((*costs)[1],
            (ReductionCost{.above_bytes = 4096, .seconds = 5e-7, .seconds_per_byte = 1e-10}));
}

TEST(ReductionCosts, ThatCannotBeReadAreNone) {
  for (const char* text :
       {"", "1:1e-7:0", "0:1e-7", "0:1e-7:0:0", "0:x:0", "0:1e-7:0;", "0:1e-7:0;0:1e-7:0",
        "0:1e-7:0;9:1e-7:0;8:1e-7:0", "0:nan:0", "-1:0:0", "0:1e-7:inf"}) {
    EXPECT_FALSE(parse_reduction_costs(text)) << text;
  }
}

TEST(ReductionCosts, HoldAboveTheirBoundary) {
  const auto costs = *parse_reduction_costs("0:1e-6:0;100:0:1e-8");
  EXPECT_DOUBLE_EQ(reduction_seconds(costs, 0), 1e-6);
  EXPECT_DOUBLE_EQ(reduction_seconds(costs, 100), 1e-6);
  EXPECT_DOUBLE_EQ(reduction_seconds(costs, 101), 1.01e-6);
  EXPECT_EQ(reduction_seconds({}, 100), 0);
}

TEST(ReductionCosts, AreNeverNegative) {
  EXPECT_EQ(reduction_seconds(*parse_reduction_costs("0:-1e-6:1e-9"), 10), 0);
}

}  // namespace
}  // namespace invar::record
