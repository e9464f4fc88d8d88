// Guidelines judged on planted data: the left side takes so many times as long as the right one.
#include "analysis/guidelines/guidelines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/compare/looks.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/guidelines/guideline_pairs.hpp"
#include "analysis/guidelines/planted_guidelines.hpp"
#include "analysis/questions/asked_pairs.hpp"
#include "analysis/study/summaries.hpp"

namespace invar::analysis {
namespace {

using planted::PlantedGuidelines;
using stats::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> verdicts_of(const Guidelines& found) {
  std::vector<std::string> words;
  words.reserve(found.rows.size());
  for (const GuidelineRow& row : found.rows) {
    words.emplace_back(row.verdict() ? stats::to_string(*row.verdict()) : "none");
  }
  return words;
}

TEST(Guidelines, VerdictIsAboutTheTolerance) {
  const PlantedGuidelines planted({{"a: bcast(n) <= allgather(n) tolerance 5%", {1.10, 1.00, 1.05}},
                                   {"b: bcast(n) <= allgather(n)", {1.10, 0.90, 1.00}}});
  const Guidelines found = planted.found();
  EXPECT_THAT(verdicts_of(found),
              ElementsAre("violated", "holds", "undecided", "violated", "holds", "undecided"));
  EXPECT_NEAR(*found.rows[0].sides->ratio, 1.10, 0.01);
  EXPECT_EQ(found.rows[0].size_bytes, 8U);
  EXPECT_EQ(found.rows[0].ranks, 2U);
  EXPECT_EQ(found.comparisons, 6U);
}

TEST(Guidelines, EndsOfTheIntervalSayTheSameAsTheVerdict) {
  const PlantedGuidelines planted(
      {{"a: bcast(n) <= allgather(n) tolerance 5%", {1.20, 1.07, 1.06, 1.05, 1.04, 1.03, 0.8}}});
  for (const GuidelineRow& row : planted.found().rows) {
    const stats::Interval& interval = row.sides->ratio_interval.value();
    EXPECT_EQ(row.is(Verdict::kViolated), interval.low > 1.05) << interval.low;
    EXPECT_EQ(row.is(Verdict::kHolds), interval.high < 1.05) << interval.high;
  }
}

// One-sided at alpha / 2: a single undecided rule has the interval of a two-sided comparison.
TEST(Guidelines, PlainIntervalIsThatOfATwoSidedComparison) {
  const PlantedGuidelines planted({{"a: bcast(n) <= allgather(n) tolerance 5%", {1.05}}});
  const store::Data data = planted::data(planted.plan);
  const Guidelines found = guidelines(planted.study(data));
  ASSERT_THAT(verdicts_of(found), ElementsAre("undecided"));
  const Summaries summaries = summarize_visits(data, Runtime::kAuto, true, {}, true);
  const Contest contest = contest_of(data, sort_visits(summaries.visits, data.cells.size(), 1),
                                     std::vector<std::uint32_t>{0});
  std::vector<Pair> pairs = guideline_pairs(contest, planted.campaign);
  ASSERT_THAT(pairs, SizeIs(1));
  pairs.front().hypothesis = {};
  const ComparedCell row = answer(contest, pairs, Rules{}).rows.front();
  EXPECT_NEAR(found.rows[0].sides->ratio_interval->low, row.ratio_interval->low, 1e-9);
  EXPECT_NEAR(found.rows[0].sides->ratio_interval->high, row.ratio_interval->high, 1e-9);
}

// Equal sides, no tolerance: a table has a false violation in at most alpha / 2 of all cases.
TEST(Guidelines, EqualSidesAreRarelyViolatedAndALargeFactorIsFound) {
  std::vector<double> factors(10, 1.0);
  factors.back() = 1.12;
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", factors}});
  planted.plan.repetitions = 5;
  std::size_t wrong = 0;
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    planted.plan.seed = seed;
    const std::vector<std::string> verdicts = verdicts_of(planted.found());
    const auto violated = std::count(verdicts.begin(), verdicts.end() - 1, "violated");
    wrong += violated > 0 ? 1U : 0U;
    found += verdicts.back() == "violated" ? 1U : 0U;
  }
  EXPECT_LE(wrong, 8U)
      << "2.5 are to be expected; more than 8 in a tenth of a percent of all seeds";
  EXPECT_EQ(found, 100U);
}

TEST(Guidelines, LuckOfALaunchIsInBothSides) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.05}}});
  planted.plan.group_sd = 0.5;
  EXPECT_THAT(verdicts_of(planted.found()), ElementsAre("violated"));
}

TEST(Guidelines, RuleIsCountedOnceWhateverItsSizes) {
  const PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.10, 0.90, 1.20}},
                                   {"b: bcast(n) <= allgather(n)", {0.90, 0.80}},
                                   {"c: bcast(n) <= allgather(n)", {0.90, 1.00}},
                                   {"d: monotone(bcast)", {1.30}}});
  PlantedGuidelines with_absent = planted;
  with_absent.campaign.guidelines.push_back(
      {.rule = "e: split(bcast)", .not_measured = {{.why = "not yet"}}});
  const std::vector<GuidelineCount> counts = counts_of(with_absent.found());
  ASSERT_THAT(counts, SizeIs(3));
  EXPECT_EQ(counts[0].kind, design::GuidelineKind::kMonotone);
  EXPECT_EQ(counts[0].violated, 1U);
  EXPECT_EQ(counts[1].kind, design::GuidelineKind::kSplit);
  EXPECT_EQ(counts[1].rules, 1U);
  EXPECT_EQ(counts[1].measured, 0U);
  EXPECT_EQ(counts[2].rules, 3U);
  EXPECT_EQ(counts[2].violated, 1U);
  EXPECT_EQ(counts[2].holding, 1U);
  EXPECT_EQ(counts[2].undecided, 1U);
}

TEST(Guidelines, TimeLostIsWhatTheLeftSideTakesLonger) {
  const PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.25, 0.80}}});
  const Guidelines found = planted.found();
  const double left_ns = found.rows[0].sides->time_b->median_ns;
  EXPECT_NEAR(*found.rows[0].lost_ns(), left_ns / 5, left_ns / 50);
  EXPECT_FALSE(found.rows[1].lost_ns());
}

TEST(Guidelines, SentenceTellsWhatIsViolatedAndWhereItCostsMost) {
  PlantedGuidelines planted({{"GL1: bcast(n) <= allgather(n)", {0.90, 2.00}},
                             {"GL2: bcast(n) <= scatter(n/p) + allgather(n/p)", {1.50}},
                             {"GL3: bcast(n) <= allgather(n)", {0.80}}});
  EXPECT_THAT(planted.found().sentence,
              testing::MatchesRegex(
                  "openmpi violates 2 of 3 guidelines \\(pattern 2/3; 1 holds at every size, 0 are "
                  "undecided\\), most time is lost in bcast 16 B \\(GL1\\): (2|1\\.99|2\\.0[0-9]?) "
                  "times as long as allgather\\(n\\), [^ ]+ us a call: 2 ranks, 1 host.*"));
  planted = PlantedGuidelines({{"GL1: bcast(n) <= allgather(n)", {0.90, 0.80}}});
  EXPECT_THAT(planted.found().sentence,
              HasSubstr("openmpi was not seen to violate any of 1 guideline (1 holds at every "
                        "size, 0 are undecided)"));
}

// What the numbers are of is what they sum up to.
TEST(Guidelines, SentenceCountsWhatIsMeasuredAndSaysHowManyAreNot) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {2.00}},
                             {"b: bcast(n) <= allgather(n)", {0.80}},
                             {"m: monotone(bcast)", {0.80}}});
  for (const char* rule : {"s: split(bcast)", "c: bcast(n) <= reduce(n) + bcast(n)"}) {
    planted.campaign.guidelines.push_back({.rule = rule, .not_measured = {{.why = "not yet"}}});
  }
  EXPECT_THAT(planted.found().sentence,
              testing::StartsWith(
                  "openmpi violates 1 of 3 guidelines (monotone 0/1, pattern 1/2; 2 hold at every "
                  "size, 0 are undecided; 2 more not measured), most time"));
}

TEST(Guidelines, ScopeSaysHowManyGroupsJudgeWhereNotAllDo) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.00}}});
  planted.campaign.stopping = design::Stopping::kLooks;
  store::Data data = planted::data(planted.plan);
  data.looks = {planted::look_after(1, 3), planted::look_after(2, 5)};
  data.decided = {{.decision = "splits", .not_judging = {{.groups = {1}, .cells = {0, 1}}}}};
  EXPECT_THAT(guidelines(planted.study(data)).sentence,
              HasSubstr("; sequential, looks after 3 and 5 launch groups, 4 of which judge."));
}

TEST(Guidelines, WhatIsViolatedIsSortedByTheTimeThatItCosts) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.20, 0.90, 2.00, 1.50}}});
  const Answer answer = answer_of(planted.found());
  const TidyTable& lost = answer.tables.back();
  const std::size_t cell = column_index(lost, "cell");
  std::vector<std::uint64_t> sizes;
  sizes.reserve(lost.rows.size());
  for (const std::vector<Value>& row : lost.rows) {
    sizes.push_back(std::get<record::Cell>(row[cell].content).size_bytes.value());
  }
  EXPECT_THAT(sizes, ElementsAre(32, 64, 8));
}

TEST(Guidelines, DotTableHasASignForEveryRuleAndSize) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.20, 0.90, 1.00}},
                             {"b: bcast(n) <= allgather(n)", {0.90}}});
  planted.campaign.guidelines[1].not_measured = {{.size_bytes = 32, .why = "too large"}};
  const Answer answer = answer_of(planted.found());
  const TidyTable& dots = answer.tables.at(2);
  std::vector<std::string> signs;
  for (const std::vector<Value>& row : dots.rows) {
    std::string text;
    for (const char* column : {"size_8", "size_16", "size_32"}) {
      text += '[' + std::get<std::string>(row[column_index(dots, column)].content) + ']';
    }
    signs.push_back(text);
  }
  EXPECT_THAT(signs, ElementsAre("[x][.][?]", "[.][][-]"));
}

std::vector<std::string> dot_rows(const Answer& answer) {
  std::vector<std::string> rows;
  for (const std::vector<Value>& row : answer.tables.at(2).rows) {
    std::string text;
    for (const Value& value : row) text += std::get<std::string>(value.content) + ' ';
    rows.push_back(text);
  }
  return rows;
}

// A table that is too long for the screen ends where nothing is to be seen any more.
TEST(Guidelines, DotTableBeginsWithWhatIsViolatedAndEndsWithWhatIsNotMeasured) {
  PlantedGuidelines planted({{"s: split(bcast)", {}},
                             {"a: bcast(n) <= allgather(n)", {0.80, 0.90}},
                             {"b: bcast(n) <= allgather(n)", {0.80, 1.00}},
                             {"c: bcast(n) <= allgather(n)", {0.80, 1.20}}});
  planted.campaign.guidelines[0].not_measured = {{.why = "not yet"}};
  const Answer answer = answer_of(planted.found());
  EXPECT_THAT(dot_rows(answer), ElementsAre("c . x ", "b . ? ", "a . . ", "s - - "));
}

TEST(Guidelines, ViolatedRulesAreWrittenOut) {
  const PlantedGuidelines planted(
      {{"GL1: bcast(n) <= allgather(n)", {0.80}},
       {"GL10: bcast(n) <= scatter(n/p) + allgather(n/p)", {1.20, 2.00}}});
  EXPECT_EQ(answer_of(planted.found()).notes.front(),
            "GL10: bcast(n) <= scatter(n/p) + allgather(n/p)");
}

// Families of a split into 2 and into 4 parts at one size, as campaigns of earlier versions had
// them.
TEST(Guidelines, SignOfSeveralRowsIsThatOfTheWorst) {
  PlantedGuidelines planted({{"s: split(bcast)", {1.20}}});
  design::FamilyBlock family = planted.campaign.families.front();
  family.name = "s-8-k4";
  planted.campaign.guidelines[0].families.push_back(family.name);
  planted.campaign.families.push_back(family);
  for (std::size_t side = 0; side < 2; ++side) {
    record::Cell cell = planted.plan.cells[side];
    cell.family = family.name;
    planted.plan.cells.push_back(cell);
  }
  planted.plan.time_ns = [](std::size_t, std::size_t cell) { return cell == 0 ? 1200.0 : 1000.0; };
  planted.campaign.guidelines[0].not_measured = {{.size_bytes = 8, .why = "not in 8 parts"}};
  const Guidelines found = planted.found();
  EXPECT_THAT(verdicts_of(found), ElementsAre("violated", "undecided", "none"));
  const TidyTable dots = answer_of(found).tables.at(2);
  ASSERT_THAT(dots.rows, SizeIs(1));
  EXPECT_EQ(std::get<std::string>(dots.rows[0][column_index(dots, "size_8")].content), "x");
}

// One family has the call and two right sides.
PlantedGuidelines planted_split() {
  PlantedGuidelines planted({{"s: split(bcast)", {1.20}}});
  planted.plan.arms = {"openmpi", "mpich"};
  planted.plan.time_ns = [](std::size_t, std::size_t cell) { return cell == 0 ? 1200.0 : 1000.0; };
  design::FamilyBlock& family = planted.campaign.families.front();
  family.cells.push_back({.operations = {"alltoall"}, .sizes_bytes = {8}});
  record::Cell& cell = planted.plan.cells.emplace_back(planted::cell("alltoall", 8));
  cell.family = family.name;
  cell.ranks = 2;
  return planted;
}

TEST(Guidelines, SplitIsJudgedByWhatTheArmsPilotChoseAndByNoPilot) {
  const PlantedGuidelines planted = planted_split();
  store::Data data = planted::data(planted.plan);
  data.decided = {{.decision = "splits",
                   .not_judging = {{.groups = {1}, .cells = {0, 1}, .arms = {"openmpi"}},
                                   {.cells = {2}, .arms = {"openmpi"}},
                                   {.groups = {1}, .cells = {0, 2}, .arms = {"mpich"}},
                                   {.cells = {1}, .arms = {"mpich"}}}}};
  const Guidelines found = guidelines(planted.study(data));
  ASSERT_THAT(verdicts_of(found), ElementsAre("violated", "violated"));
  EXPECT_EQ(found.rows[0].sides->cell_a->operation, "allgather");
  EXPECT_EQ(found.rows[1].sides->cell_a->operation, "alltoall");
  EXPECT_EQ(found.rows[0].sides->launches, planted.plan.groups - 1);
  EXPECT_EQ(found.comparisons, 2U);
  EXPECT_THAT(answer_of(found).notes, testing::Contains(HasSubstr("which judges no split")));
}

// A plan that was given has no pilot: every number of calls is a test of its own.
TEST(Guidelines, SplitThatNothingWasChosenForIsJudgedByEveryRightSide) {
  const PlantedGuidelines planted = planted_split();
  const Guidelines found = planted.found();
  EXPECT_THAT(verdicts_of(found), ElementsAre("violated", "violated", "violated", "violated"));
  EXPECT_EQ(found.comparisons, 4U);
  EXPECT_THAT(answer_of(found).notes, Not(testing::Contains(HasSubstr("which judges no split"))));
}

// The first right side stands for what was not measured, and is not the one that was chosen.
TEST(Guidelines, SplitWhoseChosenSideFailedIsToldAsFailed) {
  const PlantedGuidelines planted = planted_split();
  store::Data data = planted::data(planted.plan);
  data.decided = {{.decision = "splits",
                   .not_judging = {{.groups = {1}, .cells = {0, 2}, .arms = {"openmpi"}},
                                   {.cells = {1}, .arms = {"openmpi"}},
                                   {.groups = {1}, .cells = {0, 1}, .arms = {"mpich"}},
                                   {.cells = {2}, .arms = {"mpich"}}}}};
  data.failed_cells = {{.cell = 2, .arm = "openmpi", .reason = "hangs"},
                       {.cell = 2, .arm = "mpich", .reason = "hangs"}};
  const Guidelines found = guidelines(planted.study(data));
  ASSERT_THAT(found.rows, SizeIs(2));
  EXPECT_EQ(found.rows[0].why, "one of its sides failed");
  EXPECT_TRUE(found.rows[1].sides) << "there it was not chosen";
}

TEST(Guidelines, SplitThatOnlyItsPilotMeasuredIsNotMeasured) {
  PlantedGuidelines planted = planted_split();
  planted.plan.arms = {"openmpi"};
  planted.plan.groups = 1;
  planted.campaign.families.push_back({.name = "a-8"});
  for (const char* operation : {"bcast", "allgather"}) {
    planted.campaign.families.back().cells.push_back(
        {.operations = {operation}, .sizes_bytes = {8}});
    planted.plan.cells.push_back(planted::cell(operation, 8));
    planted.plan.cells.back().family = "a-8";
  }
  planted.campaign.guidelines.push_back(
      {.rule = "a: bcast(n) <= allgather(n)", .families = {"a-8"}});
  store::Data data = planted::data(planted.plan);
  data.decided = {
      {.decision = "splits", .not_judging = {{.groups = {1}, .cells = {0, 1}}, {.cells = {2}}}}};
  const Guidelines found = guidelines(planted.study(data));
  ASSERT_THAT(found.rows, SizeIs(2));
  EXPECT_EQ(found.rows[0].why, "no launch has both sides but those that chose the right one");
  EXPECT_TRUE(found.rows[1].sides) << "the other rule has a launch";
}

TEST(Guidelines, CampaignThatEndedWithItsPilotHasNoAnswer) {
  PlantedGuidelines planted = planted_split();
  planted.plan.groups = 1;
  store::Data data = planted::data(planted.plan);
  data.decided = {
      {.decision = "splits", .not_judging = {{.groups = {1}, .cells = {0, 1}}, {.cells = {2}}}}};
  const std::optional<Lack> lack = guidelines_lack(planted.study(data));
  ASSERT_TRUE(lack);
  EXPECT_THAT(lack->text(), HasSubstr("all complete launch groups chose what to measure"));
}

TEST(Guidelines, WhatIsNotMeasuredIsToldWithItsReason) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.20}}});
  planted.campaign.guidelines.push_back(
      {.rule = "s: split(bcast)", .not_measured = {{.why = "not yet"}}});
  const Guidelines found = planted.found();
  ASSERT_THAT(found.rows, SizeIs(2));
  EXPECT_EQ(found.rows[1].why, "not yet");
  const Answer answer = answer_of(found);
  EXPECT_THAT(texts_of(answer.warnings), testing::Contains("not measured: s: not yet"));
}

// Three remarks are told, and most campaigns have more.
TEST(Guidelines, WhyRulesAreMeasuredNowhereIsTheFirstRemarkAndOfSomeSizesIsForWhoAsks) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.00}}});
  planted.campaign.guidelines[0].not_measured = {{.size_bytes = 1, .why = "1 B is not an int32"}};
  const auto add = [&](const char* rule, const char* why) {
    planted.campaign.guidelines.push_back({.rule = rule, .not_measured = {{.why = why}}});
  };
  add("s: split(bcast)", "not yet");
  add("t: split(reduce)", "not yet");
  add("u: bcast(n) <= reduce(n)", "never");
  const Answer answer = answer_of(planted.found());
  EXPECT_EQ(answer.warnings.front(), Warning("not measured: s, t: not yet; u: never"));
  EXPECT_EQ(answer.warnings.back(),
            Warning("not measured: a 1 B: 1 B is not an int32", Gravity::kBorne));
}

TEST(Guidelines, EveryArmIsJudgedByItself) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.20}}});
  planted.plan.arms = {"openmpi", "mpich"};
  planted.plan.time_ns = [](std::size_t arm, std::size_t cell) {
    return arm == 0 && cell == 0 ? 1200.0 : arm == 1 && cell == 0 ? 800.0 : 1000.0;
  };
  const Guidelines found = planted.found();
  EXPECT_THAT(verdicts_of(found), ElementsAre("violated", "holds"));
  EXPECT_THAT(found.sentence, HasSubstr("; mpich was not seen to violate any"));
}

TEST(Guidelines, ArmWithoutASideIsNotMeasured) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.20}}});
  planted.plan.arms = {"openmpi", "mpich"};
  store::Data data = planted::data(planted.plan);
  planted::remove_cell(data, 1, 1);
  Guidelines found = guidelines(planted.study(data));
  ASSERT_THAT(found.rows, SizeIs(2));
  EXPECT_EQ(found.rows[1].why, "no launch has both sides");
  planted.campaign.guidelines[0].not_measured = {{.arm = "mpich", .why = "it has no allgather"}};
  found = guidelines(planted.study(data));
  ASSERT_THAT(found.rows, SizeIs(2)) << "told once";
  EXPECT_EQ(found.rows[1].why, "it has no allgather");
}

TEST(Guidelines, LookThatDecidedIsTold) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.50, 1.00}}});
  planted.campaign.stopping = design::Stopping::kLooks;
  store::Data data = planted::data(planted.plan);
  data.looks = {planted::look_after(1, 3), planted::look_after(2, 5)};
  const Guidelines found = guidelines(planted.study(data));
  EXPECT_THAT(verdicts_of(found), ElementsAre("violated", "undecided"));
  EXPECT_EQ(found.rows[0].sides->look, 1U);
  EXPECT_EQ(found.rows[0].sides->launches, 3U);
  EXPECT_THAT(found.sentence, HasSubstr("; sequential, looks after 3 and 5 launch groups."));
}

TEST(Guidelines, OneArmIsEnoughForTheLooksOfItsCampaign) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.50, 0.50}}});
  const store::Data data = planted::data(planted.plan);
  const AskedPairs ask = asked_pairs(planted.campaign, data);
  ASSERT_TRUE(ask);
  const Standings standings = stand(data, make_rules(planted.campaign, {}), ask);
  EXPECT_THAT(standings.pairs, SizeIs(2));
  EXPECT_FALSE(asked_pairs(design::Campaign{}, data)) << "what the rules compare";
}

TEST(Guidelines, CampaignWithoutGuidelinesLacksThem) {
  const store::Data data = planted::data({});
  const std::optional<Lack> lack = guidelines_lack(planted::study(data));
  ASSERT_TRUE(lack);
  EXPECT_THAT(lack->text(), HasSubstr("this campaign has no guidelines"));
}

TEST(Guidelines, UnpinnedRanksGetNoVerdict) {
  PlantedGuidelines planted({{"a: bcast(n) <= allgather(n)", {1.50}}});
  planted.campaign.engine.pinning = "none";
  const Guidelines found = planted.found();
  EXPECT_THAT(verdicts_of(found), ElementsAre("none"));
  EXPECT_THAT(found.sentence, testing::StartsWith("No verdicts: "));
  EXPECT_THAT(found.sentence, Not(HasSubstr("violates")));
}

}  // namespace
}  // namespace invar::analysis
