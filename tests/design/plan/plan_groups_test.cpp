// The plan: every measurement, in the order in which it will be made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;

record::Plan plan_of(const Campaign& campaign, std::uint32_t groups) {
  Counters counters;
  return plan_groups(campaign, resolved(campaign), groups, counters);
}

// The campaign of tests/golden/design_plan.csv.
constexpr const char* kGoldenCampaign = R"(
schema = 1
name = "golden"
seed = 20160412
[design]
rounds = 3
repetitions = 25
[[cells]]
operation = ["bcast", "allreduce"]
size = { from = 4, to = 64, factor = 4 }
[[cells]]
operation = ["barrier", "scan"]
size = 8
[[arm]]
library = "openmpi"
[[arm]]
library = "mpich"
)";

ResolvedCells golden_cells(const Campaign& campaign) {
  Surroundings around = surroundings(2);
  for (record::OperationInfo& info : around.operations[1]) {
    if (info.name == "scan") info.missing = "for the test";
  }
  return resolve_cells(campaign, around, "golden.toml");
}

TEST(PlanGroups, PlanIsTheOneThatAnIndependentScriptMakes) {
  const Campaign campaign = read_campaign(kGoldenCampaign, "golden.toml");
  Counters counters;
  EXPECT_EQ(record::plan_csv(plan_groups(campaign, golden_cells(campaign), 3, counters)),
            golden("design_plan.csv"));
}

TEST(PlanGroups, GroupsOneByOneAreTheSameAsTogether) {
  const Campaign campaign = read_campaign(kGoldenCampaign, "golden.toml");
  const ResolvedCells cells = golden_cells(campaign);
  Counters counters;
  record::Plan together{.cells = cells.cells};
  for (int i = 0; i < 3; ++i) {
    for (const record::PlanRow& row : plan_groups(campaign, cells, 1, counters).rows) {
      together.rows.push_back(row);
    }
  }
  EXPECT_EQ(record::plan_csv(together), golden("design_plan.csv"));
  EXPECT_EQ(counters.group, 4U);
  EXPECT_EQ(counters.launch, 7U);
  EXPECT_EQ(counters.visit, together.rows.size() + 1);
}

TEST(PlanGroups, WrittenPlanReadsBack) {
  for (const char* pairing : {"turns", "launches"}) {
    Campaign campaign = small_campaign(3, 5, 4);
    campaign.engine.pairing = pairing;
    const record::Plan plan = plan_of(campaign, 7);
    const record::Plan back = record::read_plan(record::plan_csv(plan), "plan.csv");
    EXPECT_EQ(back.rows, plan.rows) << pairing;
    EXPECT_EQ(back.cells.size(), plan.cells.size());
    EXPECT_NO_THROW(check_plan(back, campaign, resolved(campaign), "plan.csv"));
  }
}

TEST(PlanGroups, EveryRoundHasEveryCellAndEveryBlockEveryArmOnce) {
  for (const char* pairing : {"turns", "launches"}) {
    for (const std::uint32_t arms : {1U, 2U, 3U, 4U}) {
      Campaign campaign = small_campaign(arms, 5, 3);
      campaign.engine.pairing = pairing;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::string>> arms_of_block;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> cell_of_block;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> cells_of_round;
      for (const record::PlanRow& row : plan_of(campaign, 4).rows) {
        const auto block = std::pair(row.group, row.block);
        EXPECT_TRUE(arms_of_block[block].insert(row.arm).second);
        EXPECT_EQ(cell_of_block.try_emplace(block, row.cell).first->second, row.cell);
        cells_of_round[{row.group, row.round}].insert(row.cell);
        EXPECT_EQ(row.repetitions, 25U);
        EXPECT_EQ(row.calls, 1U);
      }
      EXPECT_EQ(arms_of_block.size(), 4U * 3 * 5);
      for (const auto& [block, of_block] : arms_of_block) EXPECT_EQ(of_block.size(), arms);
      for (const auto& [round, cells] : cells_of_round) EXPECT_EQ(cells.size(), 5U);
    }
  }
}

TEST(PlanGroups, BlocksOfTurnsAreAdjacentAndAbba) {
  const record::Plan plan = plan_of(small_campaign(2, 5, 4), 6);
  std::string before;
  for (std::size_t i = 0; i < plan.rows.size(); i += 2) {
    const record::PlanRow& first = plan.rows[i];
    const record::PlanRow& second = plan.rows[i + 1];
    EXPECT_EQ(first.block, second.block);
    EXPECT_NE(first.arm, second.arm);
    if (first.turn > 0) {
      EXPECT_NE(first.arm, before) << "A B, B A, A B: who was first is second now";
    }
    before = first.arm;
  }
}

TEST(PlanGroups, EveryArmIsFirstEquallyOftenInEveryCell) {
  for (const std::uint32_t arms : {2U, 3U, 4U}) {
    // Two full cycles of a Williams design.
    const std::uint32_t rounds = arms % 2 == 0 ? 2 * arms : 4 * arms;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, int> first;
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const record::PlanRow& row : plan_of(small_campaign(arms, 5, rounds), 2).rows) {
      if (seen.insert({row.group, row.block}).second) ++first[{row.group, row.cell, row.arm}];
    }
    EXPECT_EQ(first.size(), 2U * 5 * arms);
    for (const auto& [key, count] : first) EXPECT_EQ(count, static_cast<int>(rounds / arms));
  }
}

TEST(PlanGroups, TurnsAndVisitsCountWithoutGaps) {
  const record::Plan plan = plan_of(small_campaign(3, 4, 2), 3);
  std::uint32_t turn = 0;
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    if (i > 0 && plan.rows[i].group != plan.rows[i - 1].group) turn = 0;
    EXPECT_EQ(plan.rows[i].turn, turn++);
    EXPECT_EQ(plan.rows[i].visit, i + 1);
  }
}

TEST(PlanGroups, LaunchBelongsToOneArmOfOneGroup) {
  std::map<std::uint32_t, std::pair<std::uint32_t, std::string>> owner;
  for (const record::PlanRow& row : plan_of(small_campaign(3, 2, 2), 5).rows) {
    const auto here = std::pair(row.group, row.arm);
    EXPECT_EQ(owner.try_emplace(row.launch, here).first->second, here);
  }
  EXPECT_EQ(owner.size(), 15U);
  EXPECT_EQ(owner.begin()->first, 1U);
  EXPECT_EQ(owner.rbegin()->first, 15U);
}

TEST(PlanGroups, LaunchAfterLaunchArmsSwapFromGroupToGroup) {
  Campaign campaign = small_campaign(2, 3, 2);
  campaign.engine.pairing = "launches";
  std::map<std::uint32_t, std::string> order;
  std::map<std::pair<std::uint32_t, std::string>,
           std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      cells;
  for (const record::PlanRow& row : plan_of(campaign, 20).rows) {
    if (order[row.group].empty() || order[row.group].back() != row.arm[0]) {
      order[row.group] += row.arm;
    }
    cells[{row.group, row.arm}].push_back({row.block, row.cell});
  }
  for (std::uint32_t group = 1; group < 20; group += 2) {
    const std::set<std::string> pair{order[group], order[group + 1]};
    EXPECT_EQ(pair, (std::set<std::string>{"ab", "ba"}));
  }
  for (std::uint32_t group = 1; group <= 20; ++group) {
    const auto& one = cells[{group, "a"}];
    const auto& other = cells[{group, "b"}];
    EXPECT_EQ(one, other) << "both arms meet the cells in the same order";
  }
}

TEST(PlanGroups, ArmThatLacksACellIsNotInItsBlocks) {
  const Campaign campaign = read_campaign(kGoldenCampaign, "golden.toml");
  Counters counters;
  int scans = 0;
  for (const record::PlanRow& row :
       plan_groups(campaign, golden_cells(campaign), 3, counters).rows) {
    if (row.cell != 7) continue;
    EXPECT_EQ(row.arm, "openmpi");
    ++scans;
  }
  EXPECT_EQ(scans, 9);
}

TEST(PlanGroups, DroppedCellsAreLeftOutAndNothingElse) {
  const Campaign campaign = small_campaign(3, 4, 2);
  const ResolvedCells cells = resolved(campaign);
  const std::vector<record::ArmCell> dropped{{0, 0}, {0, 1}, {0, 2}, {2, 1}};
  Counters counters;
  const record::Plan plan = plan_groups(campaign, cells, 3, counters, dropped);
  EXPECT_EQ(plan.cells.size(), 4U) << "numbers of cells do not change";
  std::map<std::pair<std::uint32_t, std::string>, int> visits;
  for (const record::PlanRow& row : plan.rows) ++visits[{row.cell, row.arm}];
  EXPECT_EQ(visits.size(), 12U - 4U);
  for (const auto& [what, count] : visits) EXPECT_EQ(count, 3 * 2);
  EXPECT_FALSE(visits.contains({2, "b"}));
  EXPECT_NO_THROW((void)record::read_plan(record::plan_csv(plan), "plan-2.csv"));
}

TEST(PlanGroups, ArmWithoutCellsIsNotLaunched) {
  const Campaign campaign = small_campaign(2, 2, 1);
  const std::vector<record::ArmCell> dropped{{0, 0}, {1, 0}};
  Counters counters;
  for (const record::PlanRow& row :
       plan_groups(campaign, resolved(campaign), 2, counters, dropped).rows) {
    EXPECT_EQ(row.arm, "b");
    EXPECT_EQ(row.launch, row.group);
  }
  EXPECT_EQ(counters.launch, 3U);
}

TEST(PlanGroups, AsWrittenKeepsTheOrderInEveryRound) {
  Campaign campaign = small_campaign(2, 4, 3);
  campaign.shuffled = false;
  const record::Plan plan = plan_of(campaign, 2);
  for (const record::PlanRow& row : plan.rows) EXPECT_EQ(row.cell, row.block % 4);
}

TEST(PlanGroups, CellsThatDifferInTheFactorsOfTogetherAloneFollowEachOther) {
  Campaign campaign = small_campaign(1, 4, 3);
  campaign.together = {"cache"};
  campaign.engine.levels["cache"] = {"warm", "cold-flush", "cold-cycle"};
  const ResolvedCells cells = resolved(campaign);
  const record::Plan plan = plan_of(campaign, 1);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < plan.rows.size(); ++i) {
    const auto& before = cells.cells.at(plan.rows[i - 1].cell);
    const auto& here = cells.cells.at(plan.rows[i].cell);
    if (before.operation != here.operation || before.size_bytes != here.size_bytes) ++changes;
  }
  // Four sizes in each of three rounds; the last of a round may be the first of the next.
  EXPECT_LE(changes, 11U);
  EXPECT_GE(changes, 9U);
}

TEST(PlanGroups, SeedChangesTheOrderAndNothingElse) {
  Campaign campaign = small_campaign(2, 8, 2);
  const record::Plan one = plan_of(campaign, 1);
  ++campaign.seed;
  const record::Plan other = plan_of(campaign, 1);
  EXPECT_NE(one.rows, other.rows);
  EXPECT_EQ(one.rows.size(), other.rows.size());
}

TEST(PlanGroups, NumbersThatNoLongerFitAreRefused) {
  const Campaign campaign = small_campaign(2, 2, 1);
  Counters counters{.group = 7, .launch = 9, .visit = 0xfffffffeU};
  EXPECT_THAT(faults_of([&] { (void)plan_groups(campaign, resolved(campaign), 1, counters); }),
              ElementsAre(testing::HasSubstr("more than 4294967295 visits")));
}

// Random sizes of which a launch group measures a part.
constexpr const char* kCampaignOfParts = R"(
schema = 1
name = "parts"
seed = 11
[design]
launches = { min = 25, max = 60 }
rounds = 2
repetitions = 5
[[cells]]
operation = ["bcast", "allgather"]
size = [4096, { loguniform = [1, 65536], count = 60, per-launch = 12, hold-out = 10 }]
[[cells]]
operation = "gather"
size = { loguniform = [1, 65536], count = 60, per-launch = 12, hold-out = 10, every = 6 }
[[cells]]
operation = "barrier"
[[arm]]
library = "openmpi"
[[arm]]
library = "mpich"
)";

// By group the sizes of each operation; 0: it has none.
using SizesOfGroups = std::map<std::uint32_t, std::map<std::string, std::set<std::uint64_t>>>;

SizesOfGroups sizes_of(const record::Plan& plan) {
  SizesOfGroups sizes;
  for (const record::PlanRow& row : plan.rows) {
    const record::Cell& cell = plan.cells.at(row.cell);
    sizes[row.group][cell.operation].insert(cell.size_bytes.value_or(0));
  }
  return sizes;
}

TEST(PlanParts, AllOperationsOfAGroupHaveTheSameSizes) {
  const Campaign campaign = read_campaign(kCampaignOfParts, "c.toml");
  const record::Plan plan = plan_of(campaign, 25);
  std::map<std::uint64_t, int> groups;
  for (const auto& [group, sizes] : sizes_of(plan)) {
    EXPECT_EQ(sizes.at("bcast"), sizes.at("allgather"));
    EXPECT_TRUE(sizes.at("bcast").contains(4096)) << "written beside the draw: in every group";
    EXPECT_LE(sizes.at("bcast").size(), 13U);
    EXPECT_TRUE(sizes.contains("barrier")) << "it has no size to be left out";
    if (sizes.contains("gather")) {
      for (const std::uint64_t size : sizes.at("gather")) {
        EXPECT_TRUE(sizes.at("bcast").contains(size)) << "one in six of the same";
      }
    }
    for (const std::uint64_t size : sizes.at("bcast")) ++groups[size];
  }
  for (const auto& [size, count] : groups) {
    EXPECT_GE(count, 5) << size;
    if (size != 4096) {
      EXPECT_LE(count, 7) << size;
    }
  }
}

TEST(PlanParts, EveryCellOfAGroupIsVisitedInEveryRoundByAllArms) {
  const Campaign campaign = read_campaign(kCampaignOfParts, "c.toml");
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::set<std::string>> arms;
  std::map<std::uint32_t, std::set<std::uint32_t>> cells;
  const record::Plan plan = plan_of(campaign, 6);
  for (const record::PlanRow& row : plan.rows) {
    EXPECT_TRUE((arms[{row.group, row.round, row.cell}].insert(row.arm).second));
    cells[row.group].insert(row.cell);
  }
  std::size_t visits = 0;
  for (const auto& [group, of_group] : cells) visits += of_group.size() * 2;
  EXPECT_EQ(arms.size(), visits);
  for (const auto& [place, of_cell] : arms) EXPECT_EQ(of_cell.size(), 2U);
}

TEST(PlanParts, GroupsOneByOneAreTheSameAsTogether) {
  const Campaign campaign = read_campaign(kCampaignOfParts, "c.toml");
  const ResolvedCells cells = resolved(campaign);
  Counters counters;
  std::vector<record::PlanRow> rows;
  for (int i = 0; i < 7; ++i) {
    const record::Plan one = plan_groups(campaign, cells, 1, counters);
    rows.insert(rows.end(), one.rows.begin(), one.rows.end());
  }
  EXPECT_EQ(rows, plan_of(campaign, 7).rows);
}

// A group that does not count takes no part away: the next one has the same sizes.
TEST(PlanParts, FollowTheirOwnCounter) {
  const Campaign campaign = read_campaign(kCampaignOfParts, "c.toml");
  const ResolvedCells cells = resolved(campaign);
  Counters counters{.group = 2, .part = 1};
  const record::Plan later = plan_groups(campaign, cells, 1, counters);
  EXPECT_EQ(counters.part, 2U);
  EXPECT_EQ(sizes_of(later).at(2), sizes_of(plan_of(campaign, 1)).at(1));
}

TEST(PlanParts, OtherDatatypesHaveTheSameDrawRounded) {
  Campaign campaign = read_campaign(kCampaignOfParts, "c.toml");
  campaign.cells[0].operations = {"bcast", "allreduce"};
  const ResolvedCells cells = resolved(campaign);
  Counters counters;
  for (const auto& [group, sizes] : sizes_of(plan_groups(campaign, cells, 10, counters))) {
    for (const std::uint64_t size : sizes.at("bcast")) {
      const std::uint64_t rounded = std::max<std::uint64_t>(size / 4 * 4, 4);
      EXPECT_TRUE(sizes.at("allreduce").contains(rounded)) << size << " in group " << group;
    }
  }
}

TEST(PlanParts, FamiliesAreWholeOrRefused) {
  Campaign campaign = read_campaign(kCampaignOfParts, "c.toml");
  campaign.cells.resize(1);
  campaign.together = {"operation"};
  Counters counters;
  const record::Plan plan = plan_groups(campaign, resolved(campaign), 10, counters);
  std::map<std::pair<std::uint32_t, std::string>, std::set<std::string>> of_family;
  for (const record::PlanRow& row : plan.rows) {
    const record::Cell& cell = plan.cells.at(row.cell);
    of_family[{row.group, cell.family}].insert(cell.operation);
  }
  for (const auto& [family, operations] : of_family) EXPECT_EQ(operations.size(), 2U);
  campaign.together = {"size"};
  EXPECT_THAT(faults_of([&] { (void)resolved(campaign); }),
              ElementsAre(testing::HasSubstr("may have one of them"),
                          testing::HasSubstr("may have one of them")));
}

TEST(PlanParts, WhatIsWrittenInAnotherBlockIsInEveryGroup) {
  Campaign campaign = read_campaign(kCampaignOfParts, "c.toml");
  const ResolvedCells before = resolved(campaign);
  const std::uint32_t some = before.sampled.begin()->first;
  CellsBlock block;
  block.operations = {before.cells[some].operation};
  block.sizes_bytes = {*before.cells[some].size_bytes};
  campaign.cells.push_back(block);
  const ResolvedCells cells = resolved(campaign);
  EXPECT_FALSE(cells.sampled.contains(some));
  EXPECT_EQ(cells.cells.size(), before.cells.size());
}

}  // namespace
}  // namespace invar::design
