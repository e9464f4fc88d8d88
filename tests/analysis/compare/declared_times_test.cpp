// Comparisons of the times that operations state: the headline, another one, and two of one visit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/compared_table.hpp"
#include "analysis/compare/looks.hpp"
#include "analysis/planted_ticks.hpp"
#include "base/error.hpp"
#include "simulations.hpp"
#include "stats/test/binomial.hpp"

namespace invar::analysis {
namespace {

using planted::HandoverParts;
using planted::look_after;
using stats::Verdict;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// mpich's calls are 10 % shorter, but it takes twice as long to post.
HandoverParts posts_longer(std::size_t arm) {
  return arm == 0 ? HandoverParts{} : HandoverParts{.posted = 0.3 / 0.9 * 2};
}

store::Data posting_and_whole(const std::vector<std::string>& times) {
  return planted::handovers(planted::with_ratios({0.9, 0.9, 0.9}), times, posts_longer);
}

Rules rules_of(const std::string& time) {
  return {.time = {.kind = TimeChoice::Kind::kNamed, .name = time}};
}

const Value& value_of(const Answer& answer, const std::string& column, std::size_t row = 0) {
  for (const TidyTable& table : answer.tables) {
    if (table.id == "cells") return table.rows.at(row).at(column_index(table, column));
  }
  throw std::out_of_range("no table of cells");
}

std::string text_of(const Value& value) { return std::get<std::string>(value.content); }

TEST(CompareTimes, TheHeadlineIsWhatTheOperationStatesFirst) {
  const Comparison answer = compare(planted::study(posting_and_whole({"posting", "whole"})));
  for (const ComparedCell& row : answer.cells) {
    EXPECT_EQ(row.verdict, Verdict::kFaster) << "openmpi posts faster";
    EXPECT_NEAR(*row.ratio, 2.0, 0.02);
    EXPECT_EQ(row.time_name, "posting");
    EXPECT_FALSE(row.time_name_b);
  }
  EXPECT_THAT(answer.sentence, HasSubstr("time 'posting'"));
  EXPECT_EQ(text_of(value_of(answer_of(answer), "time")), "posting");
  EXPECT_TRUE(value_of(answer_of(answer), "time_b").absent());
  EXPECT_THAT(answer_of(answer).notes[0], HasSubstr("times: 'posting', "));
}

TEST(CompareTimes, AnotherOneIsAskedForByItsName) {
  const store::Data data = posting_and_whole({"whole", "posting"});
  const Comparison whole = compare(planted::study(data));
  EXPECT_EQ(whole.cells[0].verdict, Verdict::kSlower) << "mpich's calls are shorter";
  EXPECT_NEAR(*whole.cells[0].ratio, 0.9, 0.01);
  EXPECT_THAT(whole.sentence, Not(HasSubstr("time '")));
  EXPECT_THROW(value_of(answer_of(whole), "time"), std::invalid_argument)
      << "whole calls are not named";
  const Comparison posting = compare(planted::study(data, rules_of("posting")));
  EXPECT_NEAR(*posting.cells[0].ratio, 2.0, 0.02);
  EXPECT_EQ(posting.time, "posting");
}

TEST(CompareTimes, TwoTimesOfAVisitAreAPairInEveryArm) {
  planted::Plan plan = planted::with_ratios({1, 1, 1});
  plan.visit_sd = 0.2;
  const store::Data data = planted::handovers(plan, {"whole", "waiting", "posting"});
  const Comparison answer = compare(planted::study(data, {.against_times = true}));
  ASSERT_EQ(answer.cells.size(), 12U) << "3 cells of 2 arms, two times against the first";
  const ComparedCell& row = answer.cells[0];
  EXPECT_EQ(row.arm_a, "whole in openmpi");
  EXPECT_EQ(row.arm_b, "waiting in openmpi");
  EXPECT_EQ(row.in_arm, "openmpi");
  EXPECT_EQ(row.time_name, "whole");
  EXPECT_EQ(row.time_name_b, "waiting");
  EXPECT_NEAR(*row.ratio, 0.6, 0.002);
  EXPECT_LT(row.ratio_interval->high / row.ratio_interval->low, 1.01) << "visits differ by 20 %";
  EXPECT_EQ(row.verdict, Verdict::kSlower);
  EXPECT_NEAR(*answer.cells[1].ratio, 0.3, 0.002);
  EXPECT_THAT(answer.sentence, HasSubstr("shorter"));
  EXPECT_TRUE(answer.best.empty()) << "no time wins";
  const Answer printed = answer_of(answer);
  EXPECT_EQ(text_of(value_of(printed, "time_b")), "waiting");
  EXPECT_EQ(text_of(value_of(printed, "in_arm")), "openmpi");
  EXPECT_THAT(printed.notes[0], HasSubstr("paired inside of every visit"));
  EXPECT_EQ(find_table(printed, "levels"), nullptr) << "times are no levels of cells";
}

TEST(CompareTimes, AllPairsOfTimesWhereTheyAreAskedFor) {
  const store::Data data =
      planted::handovers(planted::with_ratios({1, 1, 1}), {"whole", "waiting", "posting"});
  CompareOptions options;
  options.all_pairs = true;
  options.arms = {"mpich"};
  const Comparison answer = compare(planted::study(data, {.against_times = true}, options));
  ASSERT_EQ(answer.cells.size(), 9U) << "one arm is enough";
  EXPECT_EQ(answer.cells[2].arm_a, "waiting");
  EXPECT_EQ(answer.cells[2].arm_b, "posting");
  EXPECT_NEAR(*answer.cells[2].ratio, 0.5, 0.002);
}

TEST(CompareTimes, OneTimeAloneIsNoPair) {
  const store::Data data = planted::handovers(planted::with_ratios({1, 1, 1}), {"posting"});
  EXPECT_THROW(compare(planted::study(data, {.against_times = true})), base::UserError);
}

TEST(CompareTimes, SidesOfDifferentTimesAreSaid) {
  store::Data data = posting_and_whole({"whole", "posting"});
  data.arms[1].operations = {planted::handover({"posting", "whole"})};
  const Comparison answer = compare(planted::study(data));
  EXPECT_EQ(answer.cells[0].time_name, "whole");
  EXPECT_EQ(answer.cells[0].time_name_b, "posting");
  const std::vector<std::string> warnings = texts_of(answer.warnings);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("'whole' of openmpi, 'posting' of mpich")));
}

TEST(CompareTimes, WhatCannotBeToldIsRefusedWithTheReason) {
  const store::Data data =
      planted::handovers(planted::with_ratios({1, 1, 1}), {"whole", "giving"}, {}, false);
  EXPECT_NO_THROW(compare(planted::study(data)));
  try {
    compare(planted::study(data, rules_of("giving")));
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.faults()[0].what, HasSubstr("single ranks' ends were not recorded"));
    EXPECT_THAT(error.faults()[0].remedy, HasSubstr("whole, giving"));
  }
}

TEST(CompareTimes, CellsWithoutTheTimeAreLeftOutAndSaid) {
  store::Data data = posting_and_whole({"whole", "posting"});
  data.cells[2].operation = "allreduce";
  const Comparison answer = compare(planted::study(data, rules_of("posting")));
  EXPECT_EQ(answer.cells.size(), 2U);
  EXPECT_THAT(texts_of(answer.warnings),
              testing::Contains(HasSubstr("'allreduce' has no time 'posting'")));
}

// Looks rest on the headline, whatever it is.
TEST(LooksAtTimes, DecideByTheHeadline) {
  planted::Plan plan = planted::with_ratios({1, 1, 1});
  plan.groups = 5;
  store::Data data = planted::handovers(plan, {"posting", "whole"}, [](std::size_t arm) {
    return arm == 0 ? HandoverParts{} : HandoverParts{.posted = 0.33};
  });
  data.looks = {look_after(1, 3), look_after(2, 5)};
  const Rules rules{.sequential = true};
  const Standings standings = stand(data, rules);
  for (const ComparedCell& row : standings.looks.answers.rows) {
    EXPECT_EQ(row.verdict, Verdict::kFaster) << "the whole calls are the same";
    EXPECT_TRUE(row.look);
    EXPECT_EQ(row.time_name, "posting");
  }
  EXPECT_EQ(standings.done(data).size(), 6U);
  EXPECT_THROW(
      compare(planted::study(
          data, {.sequential = true, .time = {.kind = TimeChoice::Kind::kNamed, .name = "whole"}})),
      base::UserError)
      << "nobody looked at these";
  EXPECT_NO_THROW(compare(planted::study(
      data, {.sequential = true, .time = {.kind = TimeChoice::Kind::kNamed, .name = "posting"}})));
}

// Over 300 tables of 3 cells whose headlines are alike, while the whole calls differ by 10 %.
TEST(LooksAtTimes, FalseVerdictsStayWithinAlpha) {
  std::size_t false_tables = 0;
  constexpr std::size_t kTables = test::simulations(300);
  for (std::size_t table = 0; table < kTables; ++table) {
    planted::Plan plan = planted::with_ratios({1.1, 1.1, 1.1});
    plan.groups = 5;
    plan.rounds = 2;
    plan.repetitions = 9;
    plan.seed = 1000 + table;
    store::Data data = planted::handovers(plan, {"posting", "whole"}, [](std::size_t arm) {
      return arm == 0 ? HandoverParts{} : HandoverParts{.posted = 0.3 / 1.1};
    });
    data.looks = {look_after(1, 3), look_after(2, 5)};
    const Standings standings = stand(data, {.sequential = true});
    for (const ComparedCell& row : standings.looks.answers.rows) {
      if (row.verdict == Verdict::kFaster || row.verdict == Verdict::kSlower) {
        ++false_tables;
        break;
      }
    }
  }
  // Both looks have a quarter of alpha .05: 4 of 300 is .0125.
  EXPECT_LE(false_tables, stats::binomial_limit(kTables, 0.0125, 0.001));
}

}  // namespace
}  // namespace invar::analysis
