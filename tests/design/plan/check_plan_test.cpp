// Plans edited by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;

class EditedPlan : public testing::Test {
 protected:
  EditedPlan() {
    Surroundings around = surroundings(2);
    for (record::OperationInfo& info : around.operations[1]) {
      if (info.name == "barrier") info.missing = "too old";
    }
    CellsBlock barrier;
    barrier.operations = {"barrier"};
    campaign_.cells.push_back(barrier);
    campaign_.shuffled = false;
    cells_ = resolve_cells(campaign_, around, "c.toml");
    Counters counters;
    text_ = record::plan_csv(plan_groups(campaign_, cells_, 1, counters));
  }

  // Faults of the plan after every `from` became `to`.
  std::vector<std::string> faults_with(const std::string& from, const std::string& to) {
    std::string text = text_;
    std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    for (; at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
    const record::Plan plan = record::read_plan(text, "plan.csv");
    return faults_of([&] { check_plan(plan, campaign_, cells_, "plan.csv"); });
  }

  Campaign campaign_ = small_campaign(2, 2, 2);
  ResolvedCells cells_;
  std::string text_;
};

TEST_F(EditedPlan, UntouchedPlanIsFine) {
  EXPECT_NO_THROW(check_plan(record::read_plan(text_, "plan.csv"), campaign_, cells_, "plan.csv"));
}

TEST_F(EditedPlan, CallsAndRepetitionsMayChange) {
  std::string text = text_;
  for (std::size_t at = text.find(",1,25,"); at != std::string::npos; at = text.find(",1,25,")) {
    text.replace(at, 6, ",20,7,");
  }
  EXPECT_NO_THROW(check_plan(record::read_plan(text, "plan.csv"), campaign_, cells_, "plan.csv"));
}

TEST_F(EditedPlan, BatchOfACellWithAColdCacheIsRefusedOnce) {
  for (const char* cache : {"cold-flush", "cold-cycle"}) {
    Campaign campaign = campaign_;
    campaign.cells[0].levels["cache"] = {"warm", cache};
    const ResolvedCells cells = resolve_cells(campaign, surroundings(2), "c.toml");
    Counters counters;
    record::Plan plan = plan_groups(campaign, cells, 1, counters);
    EXPECT_NO_THROW(check_plan(plan, campaign, cells, "plan.csv"));
    for (record::PlanRow& row : plan.rows) {
      // Batches of warm cells are nobody's mistake.
      if (plan.cells[row.cell].size_bytes == 8) row.calls = 20;
    }
    EXPECT_THAT(
        faults_of([&] { check_plan(plan, campaign, cells, "plan.csv"); }),
        ElementsAre("plan.csv: calls of a batch follow one another at once, and cache " +
                    std::string(cache) + " needs each by itself: bcast, 8 B, 2 ranks, cache " +
                    cache + "; write calls = 1, or measure the cell with cache warm"));
  }
}

TEST_F(EditedPlan, BatchOfAnOperationThatAllowsNoneIsRefused) {
  Surroundings around = surroundings(2);
  for (auto& operations : around.operations) {
    for (record::OperationInfo& info : operations) info.batches = info.name != "barrier";
  }
  const ResolvedCells cells = resolve_cells(campaign_, around, "c.toml");
  Counters counters;
  record::Plan plan = plan_groups(campaign_, cells, 1, counters);
  for (record::PlanRow& row : plan.rows) row.calls = 20;
  EXPECT_THAT(faults_of([&] { check_plan(plan, campaign_, cells, "plan.csv"); }),
              ElementsAre("plan.csv: barrier says that its calls cannot be timed together: "
                          "barrier, 2 ranks; write calls = 1"));
}

TEST_F(EditedPlan, CellThatDoesNotExistIsSaidOnce) {
  EXPECT_THAT(
      faults_with("bcast,16,2", "bcast,17,2"),
      ElementsAre("plan.csv:4: the campaign has no cell with operation bcast, size_bytes "
                  "17, ranks 2, nodes 1, ppn 2, mapping packed, rank_order natural, root 0, "
                  "datatype byte, reduction , in_place , topology , cache warm, placement "
                  "random, sync round-time, arrival none, clock auto, dither_ns 1000, delay_ns 0, "
                  "scheme invar; cell 1 is "
                  "bcast, 16 B, 2 ranks; cells are added in the campaign, by [[cells]]"));
}

TEST_F(EditedPlan, EveryFactorIsChecked) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"bcast,16,2,1,2,packed,natural,0,byte,", "scan,16,2,1,2,packed,natural,0,byte,"},
           {"bcast,16,2,1,2,packed,natural,0,byte,", "bcast,16,4,1,2,packed,natural,0,byte,"},
           {"bcast,16,2,1,2,packed,natural,0,byte,", "bcast,16,2,2,2,packed,natural,0,byte,"},
           {"bcast,16,2,1,2,packed,natural,0,byte,", "bcast,16,2,1,2,packed,natural,1,byte,"},
           {"bcast,16,2,1,2,packed,natural,0,byte,", "bcast,16,2,1,2,packed,natural,0,int32,"},
           {"bcast,16,2,1,2,packed,natural,0,byte,", "bcast,16,2,1,2,packed,natural,0,byte,sum"}}) {
    EXPECT_THAT(faults_with(from, to), ElementsAre(HasSubstr("the campaign has no cell with")))
        << to;
  }
}

TEST_F(EditedPlan, CellUnderAnotherNumberIsPointedTo) {
  record::Plan plan = record::read_plan(text_, "plan.csv");
  std::swap(plan.cells[0].size_bytes, plan.cells[1].size_bytes);
  EXPECT_THAT(faults_of([&] { check_plan(plan, campaign_, cells_, "plan.csv"); }),
              ElementsAre("plan.csv:2: bcast, 16 B, 2 ranks is cell 1 of the campaign, not 0; "
                          "write 1",
                          "plan.csv:4: bcast, 8 B, 2 ranks is cell 0 of the campaign, not 1; "
                          "write 0"));
}

TEST_F(EditedPlan, ArmThatDoesNotExistIsGuessed) {
  EXPECT_THAT(faults_with(",b,1,25,", ",openmp,1,25,"),
              ElementsAre(HasSubstr("the campaign has no arm 'openmp'; known: a, b")));
}

TEST_F(EditedPlan, ArmThatLacksTheCellIsTold) {
  record::Plan plan = record::read_plan(text_, "plan.csv");
  for (record::PlanRow& row : plan.rows) {
    if (row.cell == 2) row.arm = "b";
  }
  EXPECT_THAT(faults_of([&] { check_plan(plan, campaign_, cells_, "plan.csv"); }),
              ElementsAre("plan.csv:6: arm 'b' cannot measure barrier, 2 ranks: too old; remove "
                          "the row"));
}

TEST_F(EditedPlan, EmptyPlanIsRefused) {
  EXPECT_THAT(faults_of([&] { check_plan({}, campaign_, cells_, "plan.csv"); }),
              ElementsAre("plan.csv: the plan has no rows"));
}

}  // namespace
}  // namespace invar::design
