#include "record/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/csv.hpp"
#include "golden.hpp"

namespace invar::record {
namespace {

using testing::ElementsAre;

const std::string kHeader =
    "group,launch,turn,round,block,visit,cell,arm,calls,repetitions,"
    "operation,size_bytes,ranks,nodes,ppn,mapping,rank_order,root,datatype,reduction,in_place,"
    "topology,cache,placement,sync,arrival,clock,dither_ns,delay_ns,scheme\n";
const std::string kBcast =
    ",bcast,8,2,1,2,packed,natural,0,byte,,,,warm,random,round-time,none,auto,1000,0,invar\n";
const std::string kBarrier =
    ",barrier,,2,1,2,packed,natural,0,,,,,warm,random,round-time,none,auto,1000,0,invar\n";

// Two arms, one group, two blocks.
const std::string kGood = kHeader + "1,1,0,0,0,1,0,a,1,50" + kBcast + "1,2,1,0,0,2,0,b,1,50" +
                          kBcast + "1,2,2,0,1,3,1,b,1,50" + kBarrier + "1,1,3,0,1,4,1,a,1,50" +
                          kBarrier;

std::vector<std::string> faults(const std::string& rows) {
  return test::faults_of([&] { (void)read_plan(kHeader + rows, "plan.csv"); });
}

// The good plan with its first `from` replaced.
std::vector<std::string> faults_with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return test::faults_of([&] { (void)read_plan(text, "plan.csv"); });
}

TEST(ReadPlan, RowsAndCellsAreThoseOfTheFile) {
  const Plan plan = read_plan(kGood, "plan.csv");
  ASSERT_EQ(plan.rows.size(), 4U);
  EXPECT_EQ(plan.rows[2], (PlanRow{.group = 1,
                                   .launch = 2,
                                   .turn = 2,
                                   .round = 0,
                                   .block = 1,
                                   .visit = 3,
                                   .cell = 1,
                                   .arm = "b",
                                   .calls = 1,
                                   .repetitions = 50}));
  ASSERT_EQ(plan.cells.size(), 2U);
  EXPECT_EQ(plan.cells[0].size_bytes, 8U);
  EXPECT_EQ(plan.cells[1].operation, "barrier");
  EXPECT_EQ(plan.lines, (std::vector<int>{2, 3, 4, 5}));
}

TEST(PlanCsv, WhatIsReadWritesTheSameBytes) {
  EXPECT_EQ(plan_csv(read_plan(kGood, "plan.csv")), kGood);
  const std::string golden = test::golden("design_plan.csv");
  EXPECT_EQ(plan_csv(read_plan(golden, "design_plan.csv")), golden);
}

TEST(PlanCsv, LabelWithSeparatorsSurvives) {
  Plan plan = read_plan(kGood, "plan.csv");
  for (PlanRow& row : plan.rows) row.arm += ",\"x\"";
  EXPECT_EQ(read_plan(plan_csv(plan), "plan.csv").rows, plan.rows);
}

TEST(ReadPlan, CellsWithoutRowsLeaveAPlace) {
  // Cell 0 failed everywhere, and the plans after that do not have it.
  const Plan plan = read_plan(kHeader + "4,7,0,0,0,100,1,a,1,50" + kBarrier, "plan-2.csv");
  ASSERT_EQ(plan.cells.size(), 2U);
  EXPECT_EQ(plan.cells[0].operation, "");
  EXPECT_EQ(plan.cells[1].operation, "barrier");
}

// The plan's text without the columns of these names.
std::string without_columns(const std::string& text, const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : base::read_csv(text, "plan.csv")) rows.push_back(row.fields);
  std::string left;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (std::find(names.begin(), names.end(), rows[0][i]) != names.end()) continue;
      line += (line.empty() ? "" : ",") + row[i];
    }
    left += line + "\n";
  }
  return left;
}

// Never to be changed: plans without these columns are measured by these levels for ever.
TEST(ReadPlan, FactorWithoutAColumnHasItsFrozenLevel) {
  const std::vector<std::pair<std::string, std::string>> frozen{
      {"mapping", "packed"},   {"rank_order", "natural"}, {"root", "0"},       {"datatype", ""},
      {"reduction", ""},       {"in_place", ""},          {"topology", ""},    {"cache", "warm"},
      {"placement", "random"}, {"sync", "round-time"},    {"arrival", "none"}, {"clock", "auto"},
      {"dither_ns", "1000"},   {"delay_ns", "0"},         {"scheme", "invar"}};
  // Every other level is another one, to be seen when its column is left.
  const std::string other =
      kHeader + "1,1,0,0,0,1,0,a,1,50,bcast,8,2,1,2,round-robin,reversed,1,int32,sum,yes,ring," +
      "cold-flush,same,barrier,linear:7ns,tsc,7,9,batch\n";
  const record::Plan whole = read_plan(other, "plan.csv");
  std::vector<std::string> all;
  for (const auto& [name, level] : frozen) {
    const Plan plan = read_plan(without_columns(other, {name}), "plan.csv");
    for (const Factor& factor : factors()) {
      EXPECT_EQ(factor.text(plan.cells.at(0)),
                factor.name == name ? level : factor.text(whole.cells.at(0)))
          << factor.name << " without " << name;
    }
    all.push_back(name);
  }
  const Plan plan = read_plan(without_columns(other, all), "plan.csv");
  for (const auto& [name, level] : frozen) {
    EXPECT_EQ(find_factor(name)->text(plan.cells.at(0)), level) << name;
  }
}

TEST(ReadPlan, WhatIsMeasuredAndByHowManyMustStandThere) {
  EXPECT_THAT(
      test::faults_of([] {
        (void)read_plan(without_columns(kGood, {"size_bytes", "ranks", "arrival"}), "plan.csv");
      }),
      ElementsAre(testing::StartsWith("plan.csv:1: the column 'size_bytes' is missing; expected: "),
                  testing::StartsWith("plan.csv:1: the column 'ranks' is missing; expected: ")));
}

TEST(ReadPlan, ColumnOfANewerVersionIsRefusedWithItsName) {
  std::string text = kGood;
  text.insert(text.find(",scheme"), ",firmware,clock");
  EXPECT_THAT(test::faults_of([&] { (void)read_plan(text, "plan.csv"); }),
              ElementsAre(testing::StartsWith("plan.csv:1: unknown column 'firmware'; made by a "
                                              "newer Invar? Then use that one; expected: group,"),
                          "plan.csv:1: the column 'clock' stands twice; remove one of the two"));
}

TEST(PlanCsv, HasTheColumnsOfEveryVersion) {
  for (const Factor& factor : factors()) EXPECT_TRUE(factor.always_written || factor.absent);
  EXPECT_EQ(plan_csv(read_plan(kHeader + "1,1,0,0,0,1,0,a,1,50" + kBcast, "plan.csv")),
            kHeader + "1,1,0,0,0,1,0,a,1,50" + kBcast);
}

// A column that older plans do not have, and newer ones only where blocks differ in length.
TEST(ReadPlan, DistributionHasAColumnOnlyWhereBlocksDifferAndIsRegularWithoutOne) {
  Plan plan = read_plan(kGood, "plan.csv");
  for (const Cell& cell : plan.cells) EXPECT_EQ(cell.distribution, "regular");
  plan.cells[0].operation = "alltoallv";
  EXPECT_EQ(plan_csv(plan).find("distribution"), std::string::npos);
  plan.cells[0].distribution = "random:17";
  const std::string text = plan_csv(plan);
  const Plan read = read_plan(text, "plan.csv");
  EXPECT_EQ(read.cells[0].distribution, "random:17");
  EXPECT_EQ(read.cells[1].distribution, "regular");
  EXPECT_EQ(read_plan(without_columns(text, {"distribution"}), "plan.csv").cells[0].distribution,
            "regular")
      << "for ever";
  std::string wrong = text;
  wrong.replace(wrong.find("random:17"), 9, "random:xx");
  EXPECT_THAT(test::faults_of([&] { (void)read_plan(wrong, "plan.csv"); }),
              testing::Contains(testing::HasSubstr("random:xx")));
}

TEST(ReadPlan, MessagesHaveColumnsOnlyWhereTheyAreUnusual) {
  Plan plan = read_plan(kGood, "plan.csv");
  const std::string before = plan_csv(plan);
  plan.cells[0].pattern = "matching:2:back";
  plan.cells[0].window = 64;
  const std::string text = plan_csv(plan);
  EXPECT_NE(text.find(",pattern,window,"), std::string::npos);
  EXPECT_EQ(text.find("send_mode"), std::string::npos);
  const Plan read = read_plan(text, "plan.csv");
  EXPECT_EQ(read.cells[0].pattern, "matching:2:back");
  EXPECT_EQ(read.cells[0].window, 64U);
  EXPECT_EQ(read.cells[1].pattern, "") << "of an operation without messages";
  EXPECT_EQ(read.cells[1].window, 1U);
  EXPECT_EQ(plan_csv(read_plan(without_columns(text, {"pattern", "window"}), "plan.csv")), before);
  std::string wrong = text;
  wrong.replace(wrong.find("matching:2:back"), 15, "all-pairs");
  EXPECT_THAT(test::faults_of([&] { (void)read_plan(wrong, "plan.csv"); }),
              testing::Contains(testing::HasSubstr("'all-pairs' is not a level of pattern")));
}

// 8 B and 16 B are compared, and 16 B with a barrier: 16 B has a cell in each family.
TEST(PlanCsv, FamiliesAreAColumnWhereACellStandsInOne) {
  const std::string header = kHeader.substr(0, kHeader.size() - 1) + ",family\n";
  const auto in_family = [](std::string levels, const std::string& family) {
    levels.insert(levels.size() - 1, "," + family);
    return levels;
  };
  const std::string text = header + "1,1,0,0,0,1,0,a,1,50" + in_family(kBcast, "mono-8") +
                           "1,1,1,0,1,2,1,a,62,50" + in_family(kBcast, "mono-16") +
                           "1,1,2,0,2,3,2,a,1,50" + in_family(kBarrier, "");
  const Plan plan = read_plan(text, "plan.csv");
  EXPECT_EQ(plan.cells.at(0).family, "mono-8");
  EXPECT_EQ(plan.cells.at(1).family, "mono-16");
  EXPECT_EQ(plan.cells.at(2).family, "");
  EXPECT_EQ(plan_csv(plan), text);
  EXPECT_EQ(plan_csv(read_plan(kGood, "plan.csv")), kGood) << "no column where there is no family";
}

TEST(ReadPlan, LaunchAfterLaunchBlocksBeginAnew) {
  EXPECT_NO_THROW((void)read_plan(kHeader + "1,1,0,0,0,1,0,a,1,50" + kBcast +
                                      "1,1,1,0,1,2,1,a,1,50" + kBarrier + "1,2,2,0,0,3,0,b,1,50" +
                                      kBcast + "1,2,3,0,1,4,1,b,1,50" + kBarrier,
                                  "plan.csv"));
}

TEST(ReadPlan, ForeignColumnsAreRefused) {
  EXPECT_THAT(test::faults_of([] { (void)read_plan("", "plan.csv"); }),
              ElementsAre("plan.csv:1: the plan is empty; make one with 'invar plan FILE -o DIR'"));
  EXPECT_THAT(test::faults_of([] { (void)read_plan("a,b\n1,2\n", "plan.csv"); }),
              ElementsAre(testing::StartsWith("plan.csv:1: the columns are not those of a plan")));
  EXPECT_THAT(faults("1,2,3\n"), ElementsAre("plan.csv:2: the row has 3 fields; expected 30"));
}

TEST(ReadPlan, EveryWrongFieldIsReportedAtOnce) {
  EXPECT_THAT(
      faults(
          "1x,1,0,0,0,1,0,a,1e3,3.9,bcast,8x,2,1,2,packed,natural,0,byte,,,,warm,random,none,none,"
          "auto,0,0,invar\n"
          "1,1,-1,0,0,2,1,,1,50,,,two,1,2,packed,natural,0,,,,,warm,random,none,none,auto,0,0,"
          "invar\n"),
      ElementsAre("plan.csv:2: '1x' in column group is not a whole number below 2^32",
                  "plan.csv:2: '1e3' in column calls is not a whole number below 2^32",
                  "plan.csv:2: '3.9' in column repetitions is not a whole number below 2^32",
                  "plan.csv:2: '8x' is not a level of size_bytes",
                  "plan.csv:2: repetitions is 0; write 1 or more",
                  "plan.csv:3: '-1' in column turn is not a whole number below 2^32",
                  "plan.csv:3: the arm is missing", "plan.csv:3: 'two' is not a level of ranks",
                  "plan.csv:3: the operation is missing"));
}

TEST(ReadPlan, NothingIsMeasuredZeroTimes) {
  EXPECT_THAT(faults("1,1,0,0,0,1,0,a,0,0" + kBcast),
              ElementsAre("plan.csv:2: calls is 0; write 1 or more",
                          "plan.csv:2: repetitions is 0; write 1 or more"));
}

TEST(ReadPlan, OneCellNumberIsOneCell) {
  EXPECT_THAT(faults_with("b,1,50,bcast,8,", "b,1,50,bcast,16,"),
              ElementsAre("plan.csv:3: cell 0 is 'bcast, 16 B, 2 ranks' here and 'bcast, 8 B, 2 "
                          "ranks' in line 2; give every combination of factors a cell number of "
                          "its own"));
}

TEST(ReadPlan, CellNumberBeyondAllReasonIsRefused) {
  EXPECT_THAT(faults("1,1,0,0,0,1,4000000000,a,1,50" + kBcast),
              ElementsAre("plan.csv:2: cell 4000000000 is beyond any campaign; number the cells 0, "
                          "1, 2, ..."));
}

// A short text must not ask for the memory of ten million cells.
TEST(ReadPlan, CellNumberFarBeyondThoseThatAreThereIsRefused) {
  EXPECT_THAT(faults("1,1,0,0,0,1,9999999,a,1,50" + kBcast),
              ElementsAre("plan.csv:2: cell 9999999 is far beyond the 1 cell that the plan has; "
                          "number the cells 0, 1, 2, ..."));
}

TEST(ReadPlan, TurnsCountFromZeroInEveryGroup) {
  EXPECT_THAT(faults_with("1,2,1,0,0,2", "1,2,5,0,0,2"),
              ElementsAre("plan.csv:3: turn 5 stands where turn 1 is due; number the turns of each "
                          "group 0, 1, 2, ... in the order of the rows",
                          testing::StartsWith("plan.csv:4: turn 2 stands where turn 6 is due")));
  EXPECT_THAT(faults("1,1,1,0,0,1,0,a,1,50" + kBcast),
              ElementsAre(testing::StartsWith("plan.csv:2: turn 1 stands where turn 0 is due")));
}

TEST(ReadPlan, PartOfAPlanMayLackTurnsButNotGoBack) {
  // A launch that takes part in turns 1 and 3 only.
  const std::string part =
      kHeader + "1,2,1,0,0,2,0,b,1,50" + kBcast + "1,2,3,0,1,4,1,b,1,50" + kBarrier;
  EXPECT_EQ(read_plan(part, "visits.csv", PlanExtent::kPart).rows.size(), 2U);
  EXPECT_THAT(test::faults_of([&] { (void)read_plan(part, "visits.csv"); }), testing::SizeIs(2));
  EXPECT_THAT(test::faults_of([] {
                (void)read_plan(
                    kHeader + "1,2,3,0,0,2,0,b,1,50" + kBcast + "1,2,3,0,1,4,1,b,1,50" + kBarrier,
                    "visits.csv", PlanExtent::kPart);
              }),
              ElementsAre(testing::StartsWith("visits.csv:3: turn 3 stands where turn 4 is due")));
}

TEST(ReadPlan, GroupsDoNotGoBack) {
  EXPECT_THAT(faults("2,1,0,0,0,1,0,a,1,50" + kBcast + "1,2,0,0,0,2,0,a,1,50" + kBcast),
              ElementsAre("plan.csv:3: group 1 comes after group 2"));
}

TEST(ReadPlan, RoundsAndBlocksOfALaunchDoNotGoBack) {
  EXPECT_THAT(faults("1,1,0,1,1,1,0,a,1,50" + kBcast + "1,1,1,0,2,2,0,a,1,50" + kBcast),
              ElementsAre("plan.csv:3: launch 1 goes back to an earlier round"));
  EXPECT_THAT(faults("1,1,0,0,1,1,0,a,1,50" + kBcast + "1,1,1,0,0,2,0,a,1,50" + kBcast),
              ElementsAre("plan.csv:3: launch 1 goes back to an earlier block"));
}

TEST(ReadPlan, VisitStandsOnce) {
  EXPECT_THAT(faults_with("1,2,1,0,0,2", "1,2,1,0,0,1"),
              ElementsAre("plan.csv:3: visit 1 stands twice"));
}

TEST(ReadPlan, BlockIsOneVisitOfOneCellByEachArm) {
  EXPECT_THAT(faults("1,1,0,0,0,1,0,a,1,50" + kBcast + "1,1,1,0,0,2,0,a,1,50" + kBcast),
              ElementsAre("plan.csv:3: block 0 has arm 'a' twice; a block is one visit of one cell "
                          "by each arm"));
  EXPECT_THAT(faults("1,1,0,0,0,1,0,a,1,50" + kBcast + "1,2,1,0,0,2,1,b,1,50" + kBarrier),
              ElementsAre("plan.csv:3: block 0 has different cells or rounds here and in line 2; a "
                          "block is one visit of one cell by each arm"));
  EXPECT_THAT(faults("1,1,0,0,0,1,0,a,1,50" + kBcast + "1,2,1,0,0,2,0,b,20,50" + kBcast),
              ElementsAre("plan.csv:3: block 0 has different calls here and in line 2; arms are "
                          "compared over the same number of calls"));
}

TEST(ReadPlan, LaunchIsOneStartOfOneArm) {
  EXPECT_THAT(faults("1,1,0,0,0,1,0,a,1,50" + kBcast + "2,1,0,0,0,2,0,a,1,50" + kBcast),
              ElementsAre("plan.csv:3: launch 1 has another group or arm than in line 2; a launch "
                          "is one start of one arm"));
  EXPECT_THAT(faults("1,1,0,0,0,1,0,a,1,50" + kBcast + "1,2,1,0,1,2,0,a,1,50" + kBcast),
              ElementsAre("plan.csv:3: arm 'a' has launches 1 and 2 in group 1; a group has one "
                          "launch of each arm"));
}

}  // namespace
}  // namespace invar::record
