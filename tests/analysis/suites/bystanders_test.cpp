// What suites are told of single ranks: those that have records, whoever else there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted_ticks.hpp"
#include "analysis/suites/preset_sample.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Rank 0 stands by, rank 1 gives to rank 2.
TEST(PresetSample, HasTheRanksThatHaveRecords) {
  const store::Data data = planted::handovers(planted::with_ratios({1, 1, 1}), {"giving", "whole"});
  const store::Launch& launch = data.groups.front().launches.front();
  const record::Cell& cell = data.cells.front();
  const PresetSample sample =
      preset_sample(launch, cell, data.operation(launch.arm, cell.operation));
  EXPECT_THAT(sample.ranks, ElementsAre(1, 2));
  ASSERT_EQ(sample.rank_ns.size(), 2U);
  EXPECT_GT(sample.repetitions(), 0U);
  for (const auto& times : sample.rank_ns) EXPECT_EQ(times.size(), sample.repetitions());
  EXPECT_EQ(sample.initiator_ns, sample.rank_ns[0]) << "the giver starts";
  EXPECT_THAT(sample.root_to_last_ns, IsEmpty()) << "rank 0, the root, has no records";
}

TEST(PresetSample, OfRecordsOverRanksAloneHasNoRanks) {
  const store::Data data =
      planted::handovers(planted::with_ratios({1, 1, 1}), {"whole"}, {}, false);
  const store::Launch& launch = data.groups.front().launches.front();
  const record::Cell& cell = data.cells.front();
  const PresetSample sample =
      preset_sample(launch, cell, data.operation(launch.arm, cell.operation));
  EXPECT_THAT(sample.ranks, IsEmpty());
  EXPECT_THAT(sample.rank_ns, IsEmpty());
  EXPECT_THAT(sample.initiator_ns, IsEmpty());
  EXPECT_GT(sample.repetitions(), 0U);
}

// Messages have no root: the first rank that starts begins.
TEST(PresetSample, OfMessagesGoesFromTheFirstSenderToTheLastEnd) {
  store::Data data = planted::handovers(planted::with_ratios({1, 1, 1}), {"whole"});
  const store::Launch& launch = data.groups.front().launches.front();
  record::OperationInfo info{.name = "handover", .messages = record::Messages::kMatched};
  record::Cell cell = data.cells.front();
  cell.ranks = 4;
  cell.pattern = "hypercube:0";  // the pairs 0, 1 and 2, 3
  EXPECT_THAT(preset_sample(launch, cell, info).initiator_ns, IsEmpty()) << "rank 0 has no records";
  cell.pattern = "distance:2:back";
  const PresetSample back = preset_sample(launch, cell, info);
  EXPECT_EQ(back.initiator_ns, back.rank_ns[1]) << "rank 2 begins";
  EXPECT_EQ(back.root_to_last_ns.size(), back.repetitions());
  for (std::size_t i = 0; i < back.repetitions(); ++i) {
    EXPECT_NEAR(back.root_to_last_ns[i], back.initiator_ns[i], 1e-3) << "it ends last, too";
  }
}

}  // namespace
}  // namespace invar::analysis
