// Levels of a factor against each other, inside every arm: an own operation and the library's, two
// synchronisations, sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/looks.hpp"
#include "analysis/planted.hpp"
#include "analysis/study/outcome.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Rules against(std::string_view factor) {
  Rules rules;
  rules.against = record::find_cell_factor(factor);
  return rules;
}

// `mine` takes 1.3 times as long as allreduce for 8 B, and .8 times for 1 KiB; in the second arm it
// is the other way round.
planted::Plan mine_and_theirs(std::vector<std::string> arms) {
  planted::Plan plan;
  plan.arms = std::move(arms);
  plan.cells = {planted::cell("allreduce", 8), planted::cell("allreduce", 1024),
                planted::cell("mine", 8), planted::cell("mine", 1024)};
  plan.time_ns = [](std::size_t arm, std::size_t cell) {
    const double mine = (cell == 2) == (arm == 0) ? 1.3 : 0.8;
    return cell < 2 ? 1000.0 : 1000 * mine;
  };
  return plan;
}

TEST(Levels, OneArmIsEnough) {
  const Comparison result =
      compare(planted::study(planted::data(mine_and_theirs({"openmpi"})), against("operation")));
  ASSERT_EQ(result.cells.size(), 2U);
  EXPECT_EQ(result.cells[0].arm_a, "allreduce");
  EXPECT_EQ(result.cells[0].arm_b, "mine");
  EXPECT_EQ(result.cells[0].cell.operation, "allreduce");
  EXPECT_NEAR(*result.cells[0].ratio, 1.3, 0.02);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_NEAR(*result.cells[1].ratio, 0.8, 0.02);
  EXPECT_EQ(result.cells[1].verdict, Verdict::kSlower);
  EXPECT_EQ(result.comparisons, 2U);
  EXPECT_THAT(sides_of(result), ElementsAre("allreduce", "mine"));
  EXPECT_THAT(result.sentence,
              StartsWith("allreduce is 1.3 times faster for 8 B, mine 1.2 times for 1 KiB: "))
      << result.sentence;
}

// A launch may have bad luck in all its cells, which no comparison between launches could bear.
TEST(Levels, ArePairedInsideOfALaunch) {
  planted::Plan plan = mine_and_theirs({"openmpi"});
  plan.launch_sd = 0.5;
  const Comparison result = compare(planted::study(planted::data(plan), against("operation")));
  EXPECT_NEAR(*result.cells[0].ratio, 1.3, 0.02);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
}

TEST(Levels, EveryArmHasItsOwnRows) {
  const Comparison result = compare(
      planted::study(planted::data(mine_and_theirs({"openmpi", "mpich"})), against("operation")));
  ASSERT_EQ(result.cells.size(), 4U);
  EXPECT_EQ(result.cells[1].arm_a, "allreduce in mpich");
  EXPECT_EQ(result.cells[1].arm_b, "mine in mpich");
  EXPECT_EQ(result.cells[1].verdict, Verdict::kSlower);
  EXPECT_TRUE(result.best.empty()) << "nobody compared the arms";
  EXPECT_FALSE(result.same_arm);
  EXPECT_THAT(result.sentence,
              HasSubstr("; allreduce in mpich is 1.3 times faster than mine in mpich for 1 KiB, "));
}

TEST(Levels, OfSeveralArmsStandInOneTable) {
  const Answer answer = answer_of(compare(
      planted::study(planted::data(mine_and_theirs({"openmpi", "mpich"})), against("operation"))));
  const TidyTable& table = answer.tables.at(1);
  std::vector<std::string> headers;
  for (const ShownColumn& shown : table.shown) headers.push_back(shown.header);
  EXPECT_THAT(headers,
              ElementsAre("", "arm", "allreduce", "mine", "mine/allreduce", "p", "verdict"));
  EXPECT_EQ(std::get<std::string>(table.rows[1].at(column_index(table, "in_arm")).content),
            "mpich");
  EXPECT_EQ(std::get<Word>(table.rows[1].at(column_index(table, "verdict")).content).words,
            "mine faster");
}

TEST(Levels, OfEveryCellAreTold) {
  const Answer answer = answer_of(compare(
      planted::study(planted::data(mine_and_theirs({"openmpi", "mpich"})), against("operation"))));
  const auto table = std::ranges::find(answer.tables, "levels", &TidyTable::id);
  ASSERT_NE(table, answer.tables.end());
  std::vector<std::string> told;
  for (const std::vector<Value>& row : table->rows) {
    const auto& cell = std::get<record::Cell>(row[0].content);
    told.push_back(cell.operation + " " + std::to_string(*cell.size_bytes) + ": " +
                   std::get<std::string>(row[1].content));
  }
  EXPECT_THAT(told, ElementsAre("allreduce 8: allreduce", "mine 8: mine",
                                "allreduce 1024: allreduce", "mine 1024: mine"));
}

// A row names the cell of the first level, also where it compares two others.
TEST(Levels, OfSizesHaveTheBandwidthOfTheirOwnSize) {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells = {planted::cell("allreduce", 1000), planted::cell("allreduce", 2000),
                planted::cell("allreduce", 4000)};
  plan.group_sd = plan.launch_sd = plan.visit_sd = plan.noise_sd = 0;
  CompareOptions options;
  options.all_pairs = options.bandwidth = true;
  const Answer answer =
      answer_of(compare(planted::study(planted::data(plan), against("size"), options)));
  const TidyTable& cells = *find_table(answer, "cells");
  ASSERT_EQ(cells.rows.size(), 3U);
  const auto bandwidth = [](const TidyTable& table, std::size_t row, const char* column) {
    return std::get<double>(table.rows[row].at(column_index(table, column)).content);
  };
  EXPECT_NEAR(bandwidth(cells, 0, "bandwidth_a_gb_s"), 1, 1e-6);
  EXPECT_NEAR(bandwidth(cells, 2, "bandwidth_a_gb_s"), 2, 1e-6);
  EXPECT_NEAR(bandwidth(cells, 2, "bandwidth_b_gb_s"), 4, 1e-6);
  const TidyTable& lines = answer.tables.at(1);
  ASSERT_EQ(lines.rows.size(), 5U) << "two references, and three compared with them";
  EXPECT_NEAR(bandwidth(lines, 3, "gb_s"), 2, 1e-6);
}

TEST(Levels, OfThreeAreAllToldWhereTheFirstHasNoData) {
  planted::Plan plan = mine_and_theirs({"openmpi"});
  plan.cells = {planted::cell("allreduce", 8), planted::cell("mine", 8), planted::cell("yours", 8)};
  store::Data data = planted::data(plan);
  planted::remove_cell(data, 0, 0);
  const Answer answer = answer_of(compare(planted::study(data, against("operation"))));
  std::vector<std::string> told;
  for (const std::vector<Value>& row : find_table(answer, "levels")->rows) {
    told.push_back(std::get<std::string>(row[1].content));
  }
  EXPECT_THAT(told, ElementsAre("mine", "yours"));
}

TEST(Levels, OfThreeTheBestOnesAreNamed) {
  planted::Plan plan = mine_and_theirs({"openmpi"});
  plan.cells = {planted::cell("allreduce", 8), planted::cell("mine", 8), planted::cell("yours", 8)};
  plan.time_ns = [](std::size_t, std::size_t cell) { return cell == 2 ? 700.0 : 1000.0; };
  const Comparison result = compare(planted::study(planted::data(plan), against("operation")));
  ASSERT_EQ(result.cells.size(), 2U) << "each with the first one";
  ASSERT_EQ(result.best.size(), 1U);
  EXPECT_THAT(result.best[0].arms, ElementsAre("yours"));
  EXPECT_EQ(result.best[0].contenders, 3U);
  EXPECT_THAT(result.sentence,
              StartsWith("Of the 3 compared yours is 1.4 times faster than the next for 8 B: "));
}

// As a race has them: every size is a family.
TEST(Levels, OfThreeStandInOneTableOfWinners) {
  planted::Plan plan = mine_and_theirs({"openmpi"});
  plan.cells.clear();
  for (const char* operation : {"allreduce", "mine", "yours"}) {
    for (const std::uint64_t size_bytes : {8U, 1024U}) {
      plan.cells.push_back(planted::cell(operation, size_bytes));
      plan.cells.back().family = size_bytes == 8 ? "together-1" : "together-2";
    }
  }
  plan.time_ns = [](std::size_t, std::size_t cell) { return cell > 3 ? 700.0 : 1000.0; };
  const Answer answer =
      answer_of(compare(planted::study(planted::data(plan), against("operation"))));
  const TidyTable& winners = answer.tables.at(1);
  ASSERT_EQ(winners.rows.size(), 1U);
  EXPECT_EQ(std::get<std::string>(winners.rows[0].at(1).content), "yours");
  EXPECT_EQ(std::get<std::string>(winners.rows[0].at(2).content), "yours");
  const TidyTable& arms = answer.tables.at(2);
  ASSERT_EQ(arms.rows.size(), 2U);
  EXPECT_EQ(std::get<std::string>(arms.rows[0].back().content), "yours");
}

TEST(Levels, ThatWereTimedInOtherBatchesGetNoRatio) {
  store::Data data = planted::data(mine_and_theirs({"openmpi"}));
  for (store::Group& group : data.groups) {
    for (store::Visit& visit : group.launches[0].visits) {
      if (visit.line.cell == 2) visit.line.calls = 16;
    }
  }
  const Comparison result = compare(planted::study(data, against("operation")));
  EXPECT_EQ(result.cells[0].doubt, Doubt::kBatches);
  EXPECT_FALSE(result.cells[0].ratio);
  EXPECT_TRUE(result.cells[1].ratio);
}

TEST(Levels, WhatHasNoCounterpartIsNotComparedAndTold) {
  planted::Plan plan = mine_and_theirs({"openmpi"});
  plan.cells.push_back(planted::cell("barrier", std::nullopt));
  const Comparison result = compare(planted::study(planted::data(plan), against("operation")));
  EXPECT_EQ(result.cells.size(), 2U);
  EXPECT_THAT(
      result.warnings,
      testing::Contains(HasSubstr("1 cell not compared in openmpi, no other level beside it")));
}

TEST(Levels, OfAFactorThatNothingVariesInAreALack) {
  const auto lack =
      comparison_lack(planted::study(planted::data(mine_and_theirs({"openmpi"})), against("sync")));
  ASSERT_TRUE(lack);
  EXPECT_EQ(lack->faults[0].what, "no two cells of an arm differ in nothing but 'sync'");
}

TEST(Levels, AreNamedAsPeopleSayThem) {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells = {planted::cell("allreduce", 8), planted::cell("allreduce", 1024)};
  const Comparison sizes = compare(planted::study(planted::data(plan), against("size")));
  EXPECT_THAT(sides_of(sizes), ElementsAre("8 B", "1 KiB"));
  plan.cells[0].in_place = "no";
  plan.cells[1] = plan.cells[0];
  plan.cells[1].in_place = "yes";
  const Comparison placed = compare(planted::study(planted::data(plan), against("in-place")));
  EXPECT_THAT(sides_of(placed), ElementsAre("not in place", "in place"));
}

TEST(Levels, AGateAsksWhetherAnyTakesLongerThanTheFirst) {
  Rules rules = against("operation");
  rules.gate = 0.05;
  const Comparison result =
      compare(planted::study(planted::data(mine_and_theirs({"openmpi"})), rules));
  EXPECT_EQ(result.cells[0].verdict, Verdict::kViolated);
  EXPECT_EQ(result.cells[1].verdict, Verdict::kHolds);
  EXPECT_EQ(outcome_status(result, {}), 1);
}

// What the driver asks between launches, and what the looks say afterwards, are the same pairs.
TEST(Levels, LooksAreTakenAtThem) {
  Rules rules = against("operation");
  rules.sequential = true;
  store::Data data = planted::data(mine_and_theirs({"openmpi"}));
  data.looks = {planted::look_after(1, 3), planted::look_after(2, 5)};
  const Standings standings = stand(data, rules);
  ASSERT_EQ(standings.pairs.size(), 2U);
  EXPECT_EQ(standings.done(data).size(), 4U) << "both cells of both pairs";
  EXPECT_TRUE(standings.looks.lonely.empty());
  const Comparison result = compare(planted::study(data, rules));
  EXPECT_EQ(result.cells[0].look, 1U);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
}

TEST(Rules, LevelsAreAFactorsAndWhatTheLooksAsked) {
  design::Campaign campaign;
  campaign.analysis.against = "operation";
  EXPECT_EQ(make_rules(campaign, {}).against->name, "operation");
  CompareOptions options;
  options.against = "snyc";
  EXPECT_THROW(
      {
        try {
          make_rules(campaign, options);
        } catch (const base::UserError& error) {
          EXPECT_THAT(error.faults().front().text(), HasSubstr("did you mean 'sync'?"));
          throw;
        }
      },
      base::UserError);
  options.against = "sync";
  EXPECT_EQ(make_rules(campaign, options).against->name, "sync");
  campaign.stopping = design::Stopping::kLooks;
  EXPECT_THROW(make_rules(campaign, options), base::UserError);
}

}  // namespace
}  // namespace invar::analysis
