// What suites are told of single ranks: those that have records, whoever else there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "analysis/planted_ticks.hpp"
#include "analysis/suites/preset_processing.hpp"
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

// A round trip is read on one clock, that of the rank that starts; nobody's second clock is asked,
// and the other rank's time, in which it waits for the start, is none of it.
TEST(PresetSample, OfARoundTripIsTheStartingRanksOwn) {
  store::Data data = planted::handovers(planted::with_ratios({1, 1, 1}), {"whole"});
  const store::Launch& launch = data.groups.front().launches.front();
  record::OperationInfo info{.name = "handover", .messages = record::Messages::kMatched};
  info.times = {{.name = "round trip", .kind = record::TimeKind::kOwn}};
  record::Cell cell = data.cells.front();
  cell.ranks = 4;
  cell.nodes = 2;
  cell.pattern = "distance:2:back";
  const PresetSample sample = preset_sample(launch, cell, info);
  ASSERT_FALSE(sample.initiator_ns.empty());
  EXPECT_EQ(sample.root_to_last_ns, sample.initiator_ns);
  const std::vector<ReportedNumber> least = process(design::Processing::kLeastBatch, sample);
  ASSERT_FALSE(least.empty());
  EXPECT_EQ(least.front().time_ns, std::ranges::min(sample.rank_ns[1])) << "rank 2 begins";
}

// The same ticks of two ranks, with a third one beside them that stands by and without it.
TEST(PresetProcessing, OfACellWithBystandersIsThatOfItsMembersAlone) {
  const store::Data data = planted::handovers(planted::with_ratios({1, 1, 1}), {"giving", "whole"});
  const store::Launch& with_bystander = data.groups.front().launches.front();
  record::Cell cell = data.cells.front();
  record::OperationInfo info = data.operation(with_bystander.arm, cell.operation);
  const PresetSample of_three = preset_sample(with_bystander, cell, info);

  store::Launch members = with_bystander;
  std::deque<std::vector<record::RankTicks>> records;
  for (store::Visit& visit : members.visits) {
    records.emplace_back(visit.rank_records.begin(), visit.rank_records.end());
    for (record::RankTicks& ticks : records.back()) --ticks.rank;
    visit.rank_records = records.back();
  }
  cell.ranks = 2;
  for (record::RoleRule& rule : info.roles) --rule.number;
  const PresetSample of_two = preset_sample(members, cell, info);
  EXPECT_THAT(of_two.ranks, ElementsAre(0, 1));

  for (const auto processing :
       {design::Processing::kMiddleHalf, design::Processing::kMeanOfLargest,
        design::Processing::kLeastOfLargest, design::Processing::kMeanOfRanks,
        design::Processing::kWithoutOutliers, design::Processing::kLargestMedian,
        design::Processing::kLeastBatch, design::Processing::kFilteredMedian,
        design::Processing::kMedian}) {
    const std::vector<ReportedNumber> three = process(processing, of_three);
    const std::vector<ReportedNumber> two = process(processing, of_two);
    ASSERT_EQ(three.size(), two.size());
    ASSERT_FALSE(three.empty());
    for (std::size_t i = 0; i < three.size(); ++i) EXPECT_EQ(three[i].time_ns, two[i].time_ns);
  }
}

}  // namespace
}  // namespace invar::analysis
