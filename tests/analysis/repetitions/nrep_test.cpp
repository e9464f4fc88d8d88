// How many repetitions are enough, with series whose answer is known.
#include "analysis/repetitions/nrep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using design::RepetitionMethod;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

design::RepetitionRule rule_by(const std::string& methods, const std::string& range = "20:500:10") {
  design::RepetitionRule rule;
  EXPECT_THAT(design::read_rule_key("predict", methods, rule), IsEmpty());
  EXPECT_THAT(design::read_rule_key("range", range, rule), IsEmpty());
  return rule;
}

// Three launches of one arm and cell, a visit each.
planted::Plan one_cell() {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells = {planted::cell("allgather", 16)};
  plan.groups = 3;
  plan.rounds = 1;
  plan.repetitions = 500;
  plan.noise_sd = 0.15;
  return plan;
}

Nrep nrep_of(const planted::Plan& plan, const design::RepetitionRule& rule) {
  return nrep(planted::study(planted::data(plan)), rule);
}

std::size_t index_of(RepetitionMethod method) { return static_cast<std::size_t>(method); }

// 15 % of scatter have a relative standard error of 2.5 % at 36 repetitions.
TEST(Nrep, RelativeStandardErrorFollowsTheScatter) {
  const Nrep result = nrep_of(one_cell(), rule_by("rse"));
  ASSERT_THAT(result.needs, SizeIs(1));
  ASSERT_THAT(result.needs[0].launches, SizeIs(3));
  for (const LaunchNeed& launch : result.needs[0].launches) {
    ASSERT_TRUE(launch.repetitions);
    EXPECT_GE(*launch.repetitions, 20U);
    EXPECT_LE(*launch.repetitions, 60U);
    EXPECT_EQ(launch.observations, 500U) << "without warm-ups";
  }
  EXPECT_THAT(result.sentence, HasSubstr("are enough for allgather"));
  EXPECT_THAT(result.sentence, HasSubstr("the largest of 3 launches ("));
  EXPECT_THAT(result.sentence, HasSubstr("by RSE below 2.5 %: "));
}

TEST(Nrep, LargestOfTheLaunchesCounts) {
  planted::Plan plan = one_cell();
  plan.noise_sd = 0.02;
  store::Data data = planted::data(plan);
  // Half of the second launch's repetitions take three times as long.
  auto records = std::make_shared<planted::Records>();
  store::Visit& visit = data.groups[1].launches[0].visits[0];
  std::vector<record::Timing>& own =
      records->emplace_back(visit.records.begin(), visit.records.end());
  for (std::size_t i = 0; i < own.size(); i += 2) {
    own[i].local_max_ps *= 3;
    own[i].global_ps *= 3;
  }
  visit.records = own;
  const Nrep result = nrep(planted::study(data), rule_by("rse"));
  const CellNeed& need = result.needs.at(0);
  EXPECT_EQ(need.launches[0].repetitions, 20U);
  EXPECT_EQ(need.launches[2].repetitions, 20U);
  EXPECT_GT(need.launches[1].repetitions.value_or(0), 300U);
  EXPECT_EQ(need.repetitions, need.launches[1].repetitions);
}

TEST(Nrep, AllMethodsThatAreAskedForMustBeMetAtOnce) {
  planted::Plan plan = one_cell();
  plan.noise_sd = 0.08;
  const Nrep both = nrep_of(plan, rule_by("rse,invar"));
  const CellNeed& need = both.needs.at(0);
  ASSERT_TRUE(need.repetitions);
  EXPECT_GE(*need.repetitions, *need.alone[index_of(RepetitionMethod::kRse)]);
  EXPECT_GE(*need.repetitions, *need.alone[index_of(RepetitionMethod::kInvar)]);
  EXPECT_GT(*need.alone[index_of(RepetitionMethod::kInvar)],
            *need.alone[index_of(RepetitionMethod::kCovMean)])
      << "means of nested prefixes hardly differ, long before the median is known";
}

TEST(Nrep, WhatTheRangeDoesNotReachIsNoNumber) {
  planted::Plan plan = one_cell();
  plan.noise_sd = 1;
  const Nrep result = nrep_of(plan, rule_by("rse", "20:100:10"));
  EXPECT_FALSE(result.needs.at(0).repetitions);
  EXPECT_THAT(result.sentence, HasSubstr("100 repetitions are not enough for allgather"));
  const Answer answer = answer_of(result);
  const TidyTable* table = find_table(answer, "repetitions");
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(table->rows.at(0).at(column_index(*table, "repetitions")).absent());
}

std::string shown_where_absent(const Nrep& result, const std::string& column) {
  const Answer answer = answer_of(result);
  for (const ShownColumn& shown : find_table(answer, "repetitions")->shown) {
    if (shown.column == column) return shown.absent;
  }
  return "not shown";
}

TEST(Nrep, NothingIsSaidOfNumbersThatNobodyMeasured) {
  planted::Plan plan = one_cell();
  plan.noise_sd = 1;
  const Nrep reached = nrep_of(plan, rule_by("rse", "20:100:10"));
  EXPECT_EQ(shown_where_absent(reached, "repetitions"), ">100");
  EXPECT_EQ(shown_where_absent(reached, "observations"), "not shown");
  const Nrep beyond = nrep_of(plan, rule_by("rse", "20:1000:10"));
  EXPECT_THAT(beyond.sentence, HasSubstr("500 repetitions are not enough for allgather"));
  EXPECT_EQ(shown_where_absent(beyond, "repetitions"), "more") << "500 of up to 1000 are measured";
  EXPECT_EQ(shown_where_absent(beyond, "observations"), "") << "how many stands beside it";
}

// As in a campaign whose pilot group measured the most, and the others what it found to be enough.
TEST(Nrep, NotEnoughIsWhatTheLaunchesHadThatWereNotSatisfied) {
  planted::Plan plan = one_cell();
  plan.noise_sd = 0.02;
  store::Data data = planted::data(plan);
  auto records = std::make_shared<planted::Records>();
  store::Visit& visit = data.groups[1].launches[0].visits[0];
  std::vector<record::Timing>& own =
      records->emplace_back(visit.records.begin(), visit.records.end());
  own.resize(plan.warm_up + 80);
  for (std::size_t i = 0; i < own.size(); i += 2) {
    own[i].local_max_ps *= 3;
    own[i].global_ps *= 3;
  }
  visit.records = own;
  const Nrep result = nrep(planted::study(data), rule_by("rse"));
  EXPECT_FALSE(result.needs.at(0).repetitions);
  EXPECT_THAT(result.sentence, testing::StartsWith("80 repetitions are not enough for allgather"));
}

// Every repetition of 202 ns is read as 200.
TEST(Nrep, MediansThatStandStillBecauseOfTheClockAreSaid) {
  planted::Plan plan = one_cell();
  plan.time_ns = [](std::size_t, std::size_t) { return 202.0; };
  plan.step_ns = 10;
  plan.noise_sd = 0.004;
  plan.group_sd = plan.launch_sd = plan.visit_sd = 0;
  const Nrep result = nrep_of(plan, rule_by("cov-median,invar"));
  const CellNeed& need = result.needs.at(0);
  EXPECT_TRUE(need.launches.at(0).medians_equal);
  EXPECT_EQ(need.alone[index_of(RepetitionMethod::kCovMedian)], 20U);
  EXPECT_FALSE(need.repetitions) << "half a step is 2.5 % of a call";
  EXPECT_THAT(
      result.warnings,
      Contains(Field(&Warning::text, HasSubstr("the last 20 running medians are one value"))));
  EXPECT_THAT(
      result.warnings,
      Contains(Field(&Warning::text, HasSubstr("half a step of the clock is up to 2.5 %"))));
  const Nrep fine = nrep_of(one_cell(), rule_by("cov-median,invar"));
  EXPECT_THAT(fine.warnings,
              Each(Field(&Warning::text, Not(HasSubstr("running medians are one value")))));
}

TEST(Nrep, FewerThanThreeLaunchesAreDoubted) {
  planted::Plan plan = one_cell();
  plan.groups = 2;
  EXPECT_THAT(nrep_of(plan, rule_by("rse")).warnings,
              Contains(Field(&Warning::text, HasSubstr("2 launches: launches differ"))));
  plan.groups = 3;
  EXPECT_THAT(nrep_of(plan, rule_by("rse")).warnings,
              Each(Field(&Warning::text, Not(HasSubstr("launches differ")))));
}

TEST(Nrep, CellsThatALaunchLacksAreDoubtedByName) {
  planted::Plan plan = one_cell();
  plan.cells = {planted::cell("allgather", 16), planted::cell("bcast", 16)};
  store::Data data = planted::data(plan);
  std::erase_if(data.groups[2].launches[0].visits,
                [](const store::Visit& visit) { return visit.line.cell == 1; });
  EXPECT_THAT(nrep(planted::study(data), rule_by("rse")).warnings,
              Contains(Field(&Warning::text,
                             testing::AllOf(HasSubstr("2 launches: launches differ"),
                                            HasSubstr("bcast"), Not(HasSubstr("allgather"))))));
}

// A launch's series goes on from visit to visit: what is asked is about launches.
TEST(Nrep, VisitsOfALaunchAreOneSeries) {
  planted::Plan plan = one_cell();
  plan.rounds = 10;
  plan.repetitions = 50;
  const Nrep result = nrep_of(plan, rule_by("rse"));
  EXPECT_EQ(result.needs.at(0).launches.at(0).observations, 500U);
  EXPECT_EQ(result.needs.at(0).launches.at(0).running.back().n, 500U);
}

TEST(Nrep, RunningQuantitiesAreATableOfFigure2) {
  const Answer answer = answer_of(nrep_of(one_cell(), rule_by("rse,cov-mean", "20:100:20")));
  const TidyTable* running = find_table(answer, "running");
  ASSERT_NE(running, nullptr);
  EXPECT_THAT(running->rows, SizeIs(3 * 5));
  for (const char* column :
       {"launch", "n", "mean_ns", "median_ns", "rse", "cov_mean", "cov_median", "half_width"}) {
    EXPECT_NO_THROW((void)column_index(*running, column)) << column;
  }
  EXPECT_EQ(answer.tables.front().id, "repetitions") << "what --format csv prints";
}

TEST(Nrep, CellsOfSeveralArmsAreToldApart) {
  planted::Plan plan = one_cell();
  plan.arms = {"openmpi", "mpich"};
  plan.cells = {planted::cell("allgather", 16), planted::cell("bcast", 16)};
  const Nrep result = nrep_of(plan, rule_by("rse"));
  EXPECT_THAT(result.needs, SizeIs(4));
  EXPECT_THAT(result.sentence, HasSubstr("repetitions are enough for all 4 cells"));
}

// The table has every one of them.
TEST(Nrep, SentenceCountsCellsInsteadOfNamingThem) {
  Nrep result{.rule = rule_by("rse"), .arms = {{.label = "openmpi"}}};
  result.scope = "2 ranks";
  for (std::uint32_t i = 0; i < 5; ++i) {
    result.cells.push_back(planted::cell("allgather", 8U << i));
    CellNeed& need = result.needs.emplace_back();
    need.cell = i;
    if (i < 3) need.repetitions = 20U + 10U * i;
    need.launches.push_back({.observations = 500, .repetitions = need.repetitions});
  }
  EXPECT_THAT(result.needs, SizeIs(5));
  EXPECT_THAT(nrep_sentence(result),
              testing::StartsWith("20 to 40 repetitions are enough for 3 of 5 cells; 500 are not "
                                  "enough for allgather, 64 B"));
  result.needs[0].repetitions.reset();
  EXPECT_THAT(nrep_sentence(result), HasSubstr("are not enough for 3 of 5 cells, by RSE"));
}

// "invar" is what it is called where it is asked for, and says nothing of what is small.
TEST(Nrep, ColumnsAreCalledByWhatMustBeSmall) {
  const Answer answer = answer_of(nrep_of(one_cell(), rule_by("rse")));
  std::vector<std::string> headers;
  for (const ShownColumn& shown : find_table(answer, "repetitions")->shown) {
    headers.push_back(shown.header);
  }
  EXPECT_THAT(headers, Contains("half-width"));
  EXPECT_THAT(headers, Not(Contains("invar")));
  EXPECT_THAT(answer.notes.front(), HasSubstr("half-width (--method invar): half-width of the "));
}

TEST(Nrep, RuleIsTheCampaignsOwn) {
  design::Campaign campaign;
  design::predict_repetitions(campaign, rule_by("rse", "30:90:30"));
  const Study study(planted::data(one_cell()), campaign, Rules{});
  EXPECT_EQ(nrep(study).rule, rule_by("rse", "30:90:30"));
  EXPECT_EQ(nrep(planted::study(planted::data(one_cell()))).rule, design::usual_rule());
}

}  // namespace
}  // namespace invar::analysis
