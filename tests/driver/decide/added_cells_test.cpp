// What cells that are added under way need: batches that no pilot group was there for, and
// operations that were described when the campaign was sealed.
#include "driver/decide/added_cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/decide/plans.hpp"
#include "driver/decide/sequential_campaign.hpp"

namespace invar::driver {
namespace {

using testing::ElementsAre;
using testing::Key;

// Sizes 8, 16 and 32 B of a broadcast, and a first plan of them.
class GrownCampaign : public testing::Test {
 protected:
  GrownCampaign() {
    prepared_.cells.operations.resize(2);
    state_.plans.push_back(plan_after(prepared_, {}, 0, {.groups = 1}));
  }

  record::Cell& add(std::uint64_t size_bytes) {
    const auto id = static_cast<std::uint32_t>(prepared_.cells.cells.size());
    prepared_.cells.arms.push_back({0, 1});
    return prepared_.cells.cells.emplace_back(
        record::Cell{.id = id, .operation = "bcast", .size_bytes = size_bytes});
  }

  // Calls by cell, in the plan of the next group.
  std::map<std::uint32_t, std::uint32_t> calls() {
    std::map<std::uint32_t, std::uint32_t> found;
    for (const record::PlanRow& row : plan_after(prepared_, state_, 1, {.groups = 1}).rows) {
      EXPECT_EQ(found.try_emplace(row.cell, row.calls).first->second, row.calls);
    }
    return found;
  }

  Prepared prepared_ = test::sequential({});
  store::State state_ = {};
};

TEST_F(GrownCampaign, AddedSizeHasTheLongerBatchOfTheSizesBesideIt) {
  state_.batches = record::Calls{{0, 9}, {1, 5}};
  add(12);
  add(24);
  add(4);
  add(64);
  const auto found = calls();
  EXPECT_EQ(found.at(3), 9U);
  EXPECT_EQ(found.at(4), 5U);
  EXPECT_EQ(found.at(5), 9U) << "the smallest that is known";
  EXPECT_EQ(found.at(6), 1U) << "the largest needs none";
}

TEST_F(GrownCampaign, AddedCellIsTimedAsTheCellsThatItIsComparedWith) {
  for (const std::uint32_t id : {0U, 1U}) prepared_.cells.cells[id].family = "steps";
  state_.plans.assign(1, plan_after(prepared_, {}, 0, {.groups = 1}));
  state_.batches = record::Calls{{0, 9}, {1, 9}};
  add(64).family = "steps";
  EXPECT_EQ(calls().at(3), 9U);
  state_.batches = record::Calls{{2, 9}};
  EXPECT_EQ(calls().at(3), 1U) << "single calls are compared with single calls";
}

TEST_F(GrownCampaign, AddedFamilyIsTimedAlike) {
  state_.batches = record::Calls{{0, 9}, {1, 5}};
  add(12).family = "new";
  add(24).family = "new";
  const auto found = calls();
  EXPECT_EQ(found.at(3), 9U);
  EXPECT_EQ(found.at(4), 9U);
}

TEST_F(GrownCampaign, AddedCellWithAnotherLevelIsTimedAsItsOperation) {
  state_.batches = record::Calls{{0, 9}, {1, 5}};
  add(16).dither_ns = 0;
  add(16).operation = "scan";
  const auto found = calls();
  EXPECT_EQ(found.at(3), 5U);
  EXPECT_EQ(found.at(4), 1U) << "nothing is known of it";
}

TEST_F(GrownCampaign, AddedCellWhoseCallsCannotBeBatchedIsTimedCallByCall) {
  state_.batches = record::Calls{{0, 9}, {1, 9}, {2, 9}};
  add(12).cache = "cold-flush";
  EXPECT_EQ(calls().at(3), 1U);
  prepared_.cells.cells[3].cache = "warm";
  prepared_.cells.operations[1].emplace("bcast",
                                        record::OperationInfo{.name = "bcast", .batches = false});
  EXPECT_EQ(calls().at(3), 1U);
  prepared_.cells.operations[1].clear();
  EXPECT_EQ(calls().at(3), 9U);
}

std::vector<Decision> decisions_with_scan() {
  return {{.name = "more",
           .asked = [](const Prepared&) { return true; },
           .decide = [](const StudySoFar&) { return Step{}; },
           .operations =
               [](const Prepared&) {
                 return std::vector<std::string>{"scan", "nowhere"};
               }}};
}

store::DecidedLine scan_added() {
  return {.decision = "more",
          .added = {{.cell = {.id = 3, .operation = "scan", .size_bytes = 8}, .arms = {"a"}}}};
}

TEST_F(GrownCampaign, OperationsThatDecisionsMayNeedAreSealedWithTheArmsThatHaveThem) {
  prepared_.arms[0].profile.operations = {{.name = "bcast"}, {.name = "scan"}, {.name = "exscan"}};
  prepared_.arms[1].profile.operations = {{.name = "scan", .missing = "this library lacks it"}};
  prepared_.ranks = 2;
  EXPECT_THROW(add_cells(prepared_, scan_added()), base::UserError);
  prepared_.cells.arms.resize(3);
  describe_operations(prepared_, decisions_with_scan());
  EXPECT_THAT(prepared_.cells.operations[0], ElementsAre(Key("scan")));
  EXPECT_TRUE(prepared_.cells.operations[1].empty());
  EXPECT_EQ(arm_record(prepared_, 0).operations.at(0).name, "scan");
  EXPECT_NO_THROW(add_cells(prepared_, scan_added()));
}

TEST_F(GrownCampaign, ResumedKnowsWhatWasSealedAndNoMore) {
  prepared_.arms[0].profile.operations = {{.name = "scan"}};
  prepared_.ranks = 2;
  describe_as_sealed(prepared_, state_);
  EXPECT_THROW(add_cells(prepared_, scan_added()), base::UserError) << "an earlier Invar sealed it";
  prepared_.cells.arms.resize(3);
  state_.arms = {{.label = "a", .operations = {{.name = "scan"}}}, {.label = "gone"}};
  describe_as_sealed(prepared_, state_);
  EXPECT_NO_THROW(add_cells(prepared_, scan_added()));
}

// The pilot group has a part of the random sizes: the others are timed as their neighbours are.
TEST(BatchesOfAll, SizesThatThePilotHasNotHadAreTimedAsTheirNeighbours) {
  Prepared prepared;
  prepared.campaign.arms = {{.label = "a", .library = "a"}};
  for (std::uint32_t id = 0; id < 6; ++id) {
    prepared.cells.cells.push_back({.id = id, .operation = "bcast", .size_bytes = 8U << id});
    prepared.cells.arms.push_back({0});
  }
  prepared.cells.operations = {{{"bcast", {.name = "bcast"}}}};
  const std::vector<bool> known{false, true, false, true, false, true};
  EXPECT_EQ(batches_of_all(prepared, {{1, 60}, {3, 12}}, prepared.cells.cells, known),
            (record::Calls{{0, 60}, {1, 60}, {2, 60}, {3, 12}, {4, 12}}));
  prepared.cells.cells[2].cache = "cold-flush";
  EXPECT_EQ(batches_of_all(prepared, {{1, 60}, {3, 12}}, prepared.cells.cells, known).count(2), 0U)
      << "each of its calls needs cold caches";
  EXPECT_EQ(batches_of_all(prepared, {}, prepared.cells.cells, known), record::Calls{});
}

}  // namespace
}  // namespace invar::driver
