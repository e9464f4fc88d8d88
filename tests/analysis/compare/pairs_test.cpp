// Any two sides make a pair: two arms, two cells of one arm, two times of one visit, two campaigns;
// two-sided or with a direction and a margin; at once or by looks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "analysis/compare/looks.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/planted.hpp"
#include "simulations.hpp"
#include "stats/test/binomial.hpp"

namespace invar::analysis {
namespace {

using planted::look_after;
using stats::Alternative;
using stats::Verdict;
using testing::Each;
using testing::ElementsAre;

constexpr Time kLocalTime{.kind = Time::Kind::kLocal};
constexpr Time kGlobalTime{.kind = Time::Kind::kGlobal};

stats::Hypothesis greater_than(double margin) {
  return {.alternative = Alternative::kGreater, .margin = margin};
}

CellTable visits_by(const store::Data& data, Runtime runtime) {
  const Summaries summaries = summarize_visits(data, runtime, false);
  return sort_visits(summaries.visits, data.cells.size(), data.arms.size());
}

Contest contest_of_all(const store::Data& data) {
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  return contest_of(data, visits_by(data, Runtime::kLocal), arms);
}
// A contest refers to the visits of its data.
Contest contest_of_all(const store::Data&& data) = delete;

// One arm that takes so long in each cell.
planted::Plan one_arm(const std::vector<double>& times_ns) {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells.clear();
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    plan.cells.push_back(planted::cell("bcast", std::uint64_t{1} << i));
  }
  plan.time_ns = [times_ns](std::size_t, std::size_t cell) { return times_ns[cell]; };
  return plan;
}

Pair of_cells(std::uint32_t a, std::uint32_t b, const stats::Hypothesis& hypothesis = {}) {
  return {.a = {.cell = a}, .b = {.cell = b}, .hypothesis = hypothesis};
}

TEST(PairingOf, FollowsFromWhatTheSidesDifferIn) {
  const Side side{.cell = 1, .arm = 1};
  const Pair arms{.a = side, .b = {.cell = 1, .arm = 2}};
  const Pair cells{.a = side, .b = {.cell = 2, .arm = 1}};
  const Pair both{.a = side, .b = {.cell = 2, .arm = 2}};
  const Pair times{.a = side, .b = {.cell = 1, .arm = 1, .time = kGlobalTime}};
  const Pair campaigns{.a = side, .b = {.campaign = 1, .cell = 1, .arm = 1}};
  const auto all = [&](Pairing between_arms) {
    std::vector<Pairing> found;
    for (const Pair& pair : {arms, cells, both, times, campaigns}) {
      found.push_back(pairing_of(pair, between_arms));
    }
    return found;
  };
  EXPECT_THAT(all(Pairing::kTurns), ElementsAre(Pairing::kTurns, Pairing::kRounds, Pairing::kRounds,
                                                Pairing::kVisits, Pairing::kNone));
  EXPECT_THAT(all(Pairing::kLaunches),
              ElementsAre(Pairing::kLaunches, Pairing::kRounds, Pairing::kLaunches,
                          Pairing::kVisits, Pairing::kNone));
  EXPECT_THAT(all(Pairing::kNone), Each(Pairing::kNone));
}

// Launches differ by 20 %, of which nothing is left inside a launch.
TEST(Pairs, TwoCellsOfOneArmAreComparedInsideTheirLaunches) {
  const store::Data data = planted::data(one_arm({1000, 1050}));
  const std::vector<Pair> pairs{of_cells(0, 1)};
  const ComparedCell row = answer(contest_of_all(data), pairs, Rules{}).rows[0];
  EXPECT_EQ(row.cell.size_bytes, 1U);
  ASSERT_TRUE(row.cell_b);
  EXPECT_EQ(row.cell_b->size_bytes, 2U);
  EXPECT_EQ(row.arm_a, "openmpi");
  EXPECT_EQ(row.arm_b, "openmpi");
  EXPECT_NEAR(*row.ratio, 1.05, 0.01);
  EXPECT_LT(row.ratio_interval->high / row.ratio_interval->low, 1.03);
  EXPECT_EQ(row.launches, 8U);
  EXPECT_EQ(row.verdict, Verdict::kFaster);
}

TEST(Pairs, TwoArmsInTwoCellsAreComparedByRounds) {
  planted::Plan plan = planted::with_ratios({1.0, 1.0, 1.3});
  const Pair pair{.a = {.cell = 0, .arm = 0}, .b = {.cell = 2, .arm = 1}};
  const store::Data data = planted::data(plan);
  const ComparedCell row = answer(contest_of_all(data), std::vector{pair}, Rules{}).rows[0];
  EXPECT_NEAR(*row.ratio, 1.3, 0.02);
  EXPECT_EQ(row.launches, 8U);
}

TEST(Pairs, TwoTimesOfAVisitArePairedWithEachOther) {
  planted::Plan plan = one_arm({1000});
  plan.global_factor = 1.05;
  plan.visit_sd = 0.2;
  const store::Data data = planted::data(plan);
  Contest contest = contest_of_all(data);
  contest.times.front().time = kLocalTime;
  contest.times.push_back({.time = kGlobalTime, .table = visits_by(data, Runtime::kGlobal)});
  const Pair pair{.a = {.time = kLocalTime}, .b = {.time = kGlobalTime}};
  const ComparedCell row = answer(contest, std::vector{pair}, Rules{}).rows[0];
  EXPECT_NEAR(*row.ratio, 1.05, 1e-5) << "visits differ by 20 %";
  EXPECT_EQ(row.arm_a, "local");
  EXPECT_EQ(row.arm_b, "global");
  const Pair unknown{.a = {.time = {.kind = Time::Kind::kGlobal, .index = 3}}};
  EXPECT_THROW(answer(contest, std::vector{unknown}, Rules{}), std::out_of_range);
}

TEST(Pairs, TwoCampaignsAreNotPaired) {
  // The groups' luck is common to both arms, and cancels only where they are paired.
  planted::Plan plan = planted::with_ratios({1.5, 1.0, 1.0});
  plan.group_sd = 0.02;
  const store::Data data = planted::data(plan);
  const Contest contest = contest_of_all(data);
  const Pair paired{.a = {.arm = 0}, .b = {.arm = 1}};
  const Pair unpaired{.a = {.arm = 0}, .b = {.campaign = 1, .arm = 1}};
  const Answers answers = answer(contest, std::vector{paired, unpaired}, Rules{});
  EXPECT_NEAR(*answers.rows[1].ratio, *answers.rows[0].ratio, 0.01);
  const auto width = [](const ComparedCell& row) {
    return row.ratio_interval->high / row.ratio_interval->low;
  };
  EXPECT_GT(width(answers.rows[1]) - 1, 3 * (width(answers.rows[0]) - 1));
}

TEST(Pairs, ADirectionAndAMarginAskForLessThanADifference) {
  const store::Data data = planted::data(one_arm({1000, 1100}));
  const Contest contest = contest_of_all(data);
  const std::vector<Pair> pairs{
      of_cells(0, 1, greater_than(0.02)), of_cells(0, 1, greater_than(0.2)),
      of_cells(1, 0, greater_than(0.02)), of_cells(0, 1, greater_than(0.1)),
      of_cells(1, 0, {.alternative = Alternative::kLess, .margin = 0.02})};
  const Answers answers = answer(contest, pairs, Rules{});
  std::vector<std::optional<Verdict>> verdicts;
  for (const ComparedCell& row : answers.rows) verdicts.push_back(row.verdict);
  EXPECT_THAT(verdicts, ElementsAre(Verdict::kViolated, Verdict::kHolds, Verdict::kHolds,
                                    Verdict::kUndecided, Verdict::kViolated));
  EXPECT_EQ(answers.tests, 5U);
  EXPECT_GT(answers.rows[0].ratio_interval->low, 1.02) << "it agrees with the verdict";
  EXPECT_LT(answers.rows[4].ratio_interval->high, 1 / 1.02);
}

// "A larger message takes no less time": t(s_i) <= t(s_i+1) (1 + margin).
std::vector<Pair> monotone_pairs(std::uint32_t sizes, double margin) {
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i + 1 < sizes; ++i) {
    pairs.push_back(of_cells(i + 1, i, greater_than(margin)));
  }
  return pairs;
}

TEST(MonotonePairs, ValuesAndVerdictsAreAsPlanted) {
  std::vector<double> times_ns(20);
  for (std::size_t i = 0; i < 20; ++i) times_ns[i] = 1000 * std::pow(1.1, static_cast<double>(i));
  times_ns[7] = 1.2 * times_ns[8];
  const store::Data data = planted::data(one_arm(times_ns));
  const Contest contest = contest_of_all(data);
  const Answers answers = answer(contest, monotone_pairs(20, 0.02), Rules{});
  ASSERT_EQ(answers.rows.size(), 19U);
  for (std::size_t i = 0; i < 19; ++i) {
    EXPECT_NEAR(*answers.rows[i].ratio / (times_ns[i] / times_ns[i + 1]), 1, 0.015) << i;
    EXPECT_EQ(answers.rows[i].verdict, i == 7 ? Verdict::kViolated : Verdict::kHolds) << i;
  }
}

struct FalseTables {
  std::size_t at_once = 0;
  std::size_t by_looks = 0;
  std::size_t without_correction = 0;
};

// Tables with a violation where every pair is exactly at the margin, the worst that is none.
FalseTables false_tables(std::size_t tables, double margin) {
  std::vector<double> times_ns(20);
  for (std::size_t i = 0; i < 20; ++i) {
    times_ns[i] = 2000 * std::pow(1 + margin, -static_cast<double>(i));
  }
  planted::Plan plan = one_arm(times_ns);
  plan.groups = 5;
  plan.rounds = 1;
  plan.repetitions = 3;
  plan.warm_up = 0;
  const std::vector<Pair> pairs = monotone_pairs(20, margin);
  const std::vector<store::LookLine> lines{look_after(1, 3), look_after(2, 5)};
  Rules plain;
  plain.correction = stats::Correction::kNone;
  const auto violated = [](const std::vector<ComparedCell>& rows) {
    return std::ranges::count(rows, Verdict::kViolated, &ComparedCell::verdict) > 0 ? 1U : 0U;
  };
  FalseTables found;
  for (std::size_t table = 0; table < tables; ++table) {
    plan.seed = table + 1;
    const store::Data data = planted::data(plan);
    const Contest contest = contest_of_all(data);
    found.at_once += violated(answer(contest, pairs, Rules{}).rows);
    found.by_looks += violated(take_looks(contest, pairs, Rules{}, lines).answers.rows);
    found.without_correction += violated(answer(contest, pairs, plain).rows);
  }
  return found;
}

class MonotonePairsAtTheMargin : public testing::TestWithParam<double> {};

TEST_P(MonotonePairsAtTheMargin, TablesWithAFalseViolationAreNoMoreThanAlpha) {
  constexpr std::size_t kTables = test::simulations(1000);
  const FalseTables found = false_tables(kTables, GetParam());
  const std::size_t limit = stats::binomial_limit(kTables, 0.05, 0.01);
  EXPECT_LE(found.at_once, limit);
  EXPECT_LE(found.by_looks, limit);
  EXPECT_GT(found.without_correction, kTables / 3) << "the correction is needed";
}

INSTANTIATE_TEST_SUITE_P(Margins, MonotonePairsAtTheMargin, testing::Values(0.0, 0.02),
                         [](const auto& margin) {
                           return margin.param > 0 ? "TwoPercent" : "None";
                         });

const Rules kByLooks{.sequential = true};

TEST(LooksAtPairs, OneArmIsEnoughForTwoOfItsCells) {
  planted::Plan plan = one_arm({1000, 1500, 1000});
  plan.groups = 3;
  store::Data data = planted::data(plan);
  data.looks = {look_after(1, 3)};
  const Standings standings =
      stand(data, kByLooks, [](const Contest&) { return std::vector{of_cells(0, 1)}; });
  ASSERT_EQ(standings.pairs.size(), 1U);
  const ComparedCell& row = standings.looks.answers.rows[0];
  EXPECT_EQ(row.look, 1U);
  EXPECT_EQ(row.verdict, Verdict::kFaster);
  EXPECT_TRUE(standings.closed(data, 0));
  EXPECT_THAT(standings.done(data), ElementsAre(record::ArmCell{0, 0}, record::ArmCell{1, 0}));
  ASSERT_EQ(standings.looks.lonely.size(), 1U) << "the cell that is in no pair";
  EXPECT_EQ(standings.looks.lonely[0].cell, 2U);
}

TEST(LooksAtPairs, DirectionsAndMarginsSpendTheSharesOfTheirLooks) {
  planted::Plan plan = one_arm({1000, 1150, 1000});
  plan.groups = 5;
  plan.rounds = 10;
  store::Data data = planted::data(plan);
  data.looks = {look_after(1, 3), look_after(2, 5)};
  const auto ask = [](const Contest&) {
    return std::vector{of_cells(0, 1, greater_than(0.02)), of_cells(0, 2, greater_than(0.1))};
  };
  const std::vector<ComparedCell> rows = stand(data, kByLooks, ask).looks.answers.rows;
  EXPECT_EQ(rows[0].verdict, Verdict::kViolated);
  EXPECT_EQ(rows[1].verdict, Verdict::kHolds);
  // Two ends at a tenth of alpha each.
  EXPECT_EQ(rows[1].look, 1U);
  EXPECT_NEAR(rows[1].ratio_interval->confidence, 1 - 2 * 0.1 * 0.05, 1e-12);
}

TEST(LooksAtPairs, WithoutAskingAllPairsOfArmsAreCompared) {
  planted::Plan plan;
  plan.arms = {"a", "b", "c"};
  plan.groups = 3;
  const Standings standings = stand(planted::data(plan), kByLooks);
  ASSERT_EQ(standings.pairs.size(), 9U);
  EXPECT_TRUE(std::ranges::all_of(standings.pairs, &Pair::of_arms));
  EXPECT_EQ(standings.pairs[2].a.arm, 1U);
  EXPECT_EQ(standings.pairs[2].b.arm, 2U);
  EXPECT_TRUE(standings.looks.lonely.empty());
}

}  // namespace
}  // namespace invar::analysis
