// What a campaign's data say of its operations: nobody asks the catalogue.
#include <gtest/gtest.h>

#include "store/reader.hpp"

namespace invar::store {
namespace {

TEST(DataOperation, IsThatOfTheArmOrOfTheFirstThatSaysSomething) {
  Data data;
  data.arms = {{.label = "program"},
               {.label = "a", .operations = {{.name = "swap", .summary = "a's"}}},
               {.label = "b", .operations = {{.name = "swap", .summary = "b's"}}}};
  EXPECT_EQ(data.operation(2, "swap").summary, "b's");
  EXPECT_EQ(data.operation(0, "swap").summary, "a's");
  EXPECT_EQ(data.operation("swap").summary, "a's");
}

TEST(DataOperation, OfEarlierCampaignsIsACollectiveWithOneTime) {
  Data data;
  data.arms = {{.label = "a"}};
  const record::OperationInfo bcast = data.operation(0, "bcast");
  EXPECT_EQ(bcast.name, "bcast");
  EXPECT_TRUE(bcast.roles.empty() && bcast.marks.empty());
  ASSERT_EQ(bcast.times.size(), 1U);
  EXPECT_EQ(bcast.times[0].name, "whole");
  EXPECT_EQ(bcast.times[0].kind, record::TimeKind::kWhole);
  EXPECT_FALSE(bcast.reduces);
}

// Suites count its size by the vector that goes in.
TEST(DataOperation, OfEarlierCampaignsReduceScatterTakesABlockOfEveryRank) {
  for (const char* name : {"reduce_scatter", "ireduce_scatter_block", "reduce_scatter_init"}) {
    const record::OperationInfo info = earlier_operation(name);
    EXPECT_TRUE(info.reduces) << name;
    EXPECT_EQ(info.buffers.others.send.per_rank, 1U) << name;
  }
}

}  // namespace
}  // namespace invar::store
