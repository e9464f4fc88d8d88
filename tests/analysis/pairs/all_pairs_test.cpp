// All pairs with known times: which one is slower than the others, in which direction.
#include "analysis/pairs/all_pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/pairs/planted_pairs.hpp"
#include "analysis/questions/question_row.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using planted::all_alike;
using planted::all_pair_cells;
using planted::pairs_data;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

planted::Plan four_ranks(const std::string& operation = "oneway") {
  return {.cells = all_pair_cells(operation, 4)};
}

// From rank 1 to rank 2 the first arm takes longer.
double one_is_slow(std::size_t arm, const record::RankPair& pair, std::size_t /*cell*/) {
  return arm == 0 && pair == record::RankPair{1, 2} ? 1.3 : 1;
}

AllPairs pairs_in(const store::Data& data, const Rules& rules = {}) {
  return all_pairs(planted::study(data, rules));
}

const PairRow& pair_row_of(const AllPairs& found, const std::string& arm, std::uint32_t from,
                           std::uint32_t to) {
  const auto row = std::ranges::find_if(found.rows, [&](const PairRow& one) {
    return one.arm == arm && one.pair == record::RankPair{from, to};
  });
  if (row == found.rows.end()) throw std::out_of_range("no such pair");
  return *row;
}

std::vector<std::string> outliers_of(const AllPairs& found) {
  std::vector<std::string> names;
  for (const PairRow& row : found.rows) {
    if (!row.against.stands_out()) continue;
    names.push_back(row.arm + " " + std::to_string(row.pair.from) + " to " +
                    std::to_string(row.pair.to));
  }
  return names;
}

TEST(AllPairs, OneSlowDirectionIsNamedAndNothingElse) {
  const AllPairs found = pairs_in(pairs_data(four_ranks(), one_is_slow));
  ASSERT_THAT(found.rows, SizeIs(24)) << "twelve directed pairs in two arms";
  EXPECT_THAT(outliers_of(found), ElementsAre("openmpi 1 to 2"));
  const PairRow& slow = pair_row_of(found, "openmpi", 1, 2);
  EXPECT_NEAR(*slow.against.ratio, 1.3, 0.02);
  EXPECT_GT(slow.against.interval->low, 1.02);
  EXPECT_NEAR(*pair_row_of(found, "openmpi", 2, 1).against.ratio, 1, 0.02) << "the way back";
  EXPECT_NEAR(*pair_row_of(found, "mpich", 1, 2).against.ratio, 1, 0.02) << "the other arm";
  EXPECT_THAT(found.sentence,
              AllOf(HasSubstr("openmpi: 1 of 12 directed pairs is slower than the others: rank 1 "
                              "to rank 2, 1."),
                    HasSubstr(" times the median; mpich: none of 12 directed pairs is slower than "
                              "the others by more than 2 %: ")));
}

TEST(AllPairs, OfANoisyMachineNobodyStandsOut) {
  planted::Plan plan = four_ranks();
  plan.group_sd = 0.5;
  EXPECT_THAT(outliers_of(pairs_in(pairs_data(plan, all_alike))), IsEmpty());
}

TEST(AllPairs, HaveTheTimeAndTheRateOfEachPairByItself) {
  planted::Plan plan = four_ranks();
  plan.group_sd = 0;
  const AllPairs found = pairs_in(pairs_data(plan, one_is_slow));
  const PairRow& slow = pair_row_of(found, "openmpi", 1, 2);
  EXPECT_NEAR(slow.time.median_ns, 1300, 20);
  EXPECT_NEAR(slow.bandwidth->value, 1024 / slow.time.median_ns, 1e-12);
  EXPECT_NEAR(slow.bandwidth->interval->low, 1024 / slow.time.interval_ns->high, 1e-12)
      << "the ends change places";
  // The other pair of the same matching, 0 to 3, is not slower because this one is.
  EXPECT_NEAR(pair_row_of(found, "openmpi", 0, 3).time.median_ns, 1000, 20);
  EXPECT_EQ(slow.at_once, 1U);
  EXPECT_EQ(slow.cell.pattern, "all-pairs");
}

TEST(AllPairs, OfAnOddNumberOneRankStandsByInEachMatching) {
  const AllPairs found = pairs_in(pairs_data({.cells = all_pair_cells("oneway", 5)}, all_alike));
  EXPECT_THAT(found.rows, SizeIs(40));
  EXPECT_EQ(found.rows.front().at_once, 1U);
}

// Four ranks on two hosts: each has four partners elsewhere in one direction, and one beside it.
TEST(AllPairs, BetweenHostsAreNotComparedWithThoseInside) {
  planted::Plan plan = four_ranks();
  for (record::Cell& cell : plan.cells) cell.nodes = cell.ppn = 2;
  const auto between = [](const record::RankPair& pair) { return pair.from / 2 != pair.to / 2; };
  const AllPairs found =
      pairs_in(pairs_data(plan, [&](std::size_t, const record::RankPair& pair, std::size_t) {
        return between(pair) ? 5.0 : 1.0;
      }));
  EXPECT_THAT(outliers_of(found), IsEmpty());
  for (const PairRow& row : found.rows) {
    EXPECT_EQ(row.one_host, !between(row.pair));
    EXPECT_EQ(row.against.ratio.has_value(), between(row.pair))
        << "two pairs inside in each direction: nobody knows which one is slow";
  }
}

TEST(AllPairs, OnClocksApartAreToldByRoundTripsAndNotByOneWayTimes) {
  store::Data one_way = pairs_data(four_ranks(), one_is_slow);
  planted::take_clocks_apart(one_way);
  // Its headline cannot be told either: nothing is left of such data.
  EXPECT_THROW((void)pairs_in(one_way), base::CommandError);
  // That of an exchange can, and says nothing of single pairs.
  record::OperationInfo exchange = planted::oneway_info();
  exchange.batches = true;
  exchange.times = {{.name = "whole"}, exchange.times.at(2)};
  store::Data exchanges = pairs_data(four_ranks(), one_is_slow, {exchange});
  planted::take_clocks_apart(exchanges);
  const Study study = planted::study(exchanges);
  ASSERT_TRUE(all_pairs_lack(study));
  EXPECT_EQ(all_pairs_lack(study)->text(),
            "what a single pair takes cannot be told: oneway: its ranks do not read one clock, and "
            "their ticks are recorded as they were read");
  store::Data round_trips = pairs_data(four_ranks("pingpong"), one_is_slow);
  planted::take_clocks_apart(round_trips);
  const AllPairs found = pairs_in(round_trips);
  EXPECT_THAT(outliers_of(found), ElementsAre("openmpi 1 to 2"));
  EXPECT_THAT(found.frame.time_words,
              ElementsAre("pingpong: round trip, of the rank that starts: there and back"));
  EXPECT_THAT(found.frame.span_words,
              ElementsAre("pingpong: round trip, of the rank that starts: there and back"));
  EXPECT_NEAR(pair_row_of(found, "openmpi", 1, 2).bandwidth->value,
              2048 / pair_row_of(found, "openmpi", 1, 2).time.median_ns, 1e-12)
      << "both directions are in a round trip";
}

TEST(AllPairs, OfTwoRanksThereIsNobodyToCompareWith) {
  const AllPairs found = pairs_in(pairs_data({.cells = all_pair_cells("oneway", 2)}, all_alike));
  EXPECT_THAT(found.rows, SizeIs(4));
  EXPECT_THAT(found.sentence,
              StartsWith("openmpi: 2 directed pairs, too few to compare: of each direction 3 are "
                         "needed (3 ranks have as many); mpich: 2 directed pairs"));
}

// The clock of rank 3 is 80 ns ahead, in a call of 1 us: what arrives there seems slow.
double last_is_ahead(std::size_t /*arm*/, const record::RankPair& pair, std::size_t /*cell*/) {
  return pair.to == 3 ? 1.08 : pair.from == 3 ? 0.92 : 1;
}

planted::Plan quiet_ranks(std::uint32_t ranks) {
  planted::Plan plan{.cells = all_pair_cells("oneway", ranks)};
  plan.launch_sd = plan.visit_sd = 0.0005;
  return plan;
}

TEST(AllPairsOnClocks, WhatTheyMayBeApartMakesNoDirectionSlower) {
  const store::Data data = pairs_data(quiet_ranks(4), last_is_ahead);
  EXPECT_THAT(outliers_of(pairs_in(data)), testing::Not(IsEmpty()))
      << "it seems so, and would be if the clocks were known to agree";
  const AllPairs found = pairs_in(planted::with_clocks_within(data, 90));
  EXPECT_THAT(outliers_of(found), IsEmpty());
  ASSERT_THAT(found.rows, SizeIs(12)) << "six pairs in two arms, each of both directions";
  EXPECT_TRUE(found.rows.front().both_ways);
  EXPECT_NEAR(pair_row_of(found, "openmpi", 0, 3).time.median_ns /
                  pair_row_of(found, "openmpi", 0, 1).time.median_ns,
              1, 0.005)
      << "it cancels";
  EXPECT_THAT(found.sentence,
              StartsWith("openmpi: none of 6 pairs is slower than the others by more than 2 %; "));
  const Answer answer = answer_of(found);
  const TidyTable& matrix = answer.tables.at(2);
  EXPECT_EQ(matrix.title,
            "openmpi, oneway 1 KiB, GB/s, mean of both directions (their clocks agree up to 0.090 "
            "us)");
  EXPECT_EQ(std::get<double>(matrix.rows[3][column_index(matrix, "to 0")].content),
            std::get<double>(matrix.rows[0][column_index(matrix, "to 3")].content));
  EXPECT_THAT(answer.warnings,
              Contains(testing::Field(&Warning::text,
                                      HasSubstr("whose clocks agree up to 0.090 us: up to "))));
}

TEST(AllPairsOnClocks, APairThatIsSlowBothWaysIsNamedAllTheSame) {
  const auto slow = [](std::size_t arm, const record::RankPair& pair, std::size_t cell) {
    const bool named = pair == record::RankPair{1, 2} || pair == record::RankPair{2, 1};
    return last_is_ahead(arm, pair, cell) * (arm == 0 && named ? 1.3 : 1);
  };
  const AllPairs found =
      pairs_in(planted::with_clocks_within(pairs_data(quiet_ranks(4), slow), 90));
  EXPECT_THAT(found.sentence,
              StartsWith("openmpi: 1 of 6 pairs is slower than the others: ranks 1 and 2, 1.3"));
}

// Its directions differ by more than clocks can: they stay apart, and what clocks can do names
// nobody else.
TEST(AllPairsOnClocks, ADirectionThatIsSurelySlowerIsTold) {
  const auto one_way = [](std::size_t arm, const record::RankPair& pair, std::size_t cell) {
    return last_is_ahead(arm, pair, cell) * one_is_slow(arm, pair, cell);
  };
  const AllPairs found =
      pairs_in(planted::with_clocks_within(pairs_data(quiet_ranks(4), one_way), 90));
  ASSERT_THAT(found.rows, SizeIs(24));
  EXPECT_THAT(outliers_of(found), ElementsAre("openmpi 1 to 2"));
  EXPECT_NEAR(pair_row_of(found, "openmpi", 0, 3).slack, 2.02 * 90 / 1000, 0.01);
  EXPECT_THAT(found.sentence, HasSubstr("mpich: none of 12 directed pairs is slower than the "
                                        "others by more than 22 %"));
}

TEST(AllPairsOnClocks, OfTwoRanksNeitherIsSlower) {
  const AllPairs found =
      pairs_in(planted::with_clocks_within(pairs_data(quiet_ranks(2), all_alike), 90));
  EXPECT_THAT(found.sentence, StartsWith("openmpi: 1 pair, too few to compare: of a kind 3 are"));
  for (const PatternRates& rates : found.rates) EXPECT_FALSE(rates.slowest);
}

// A rate of 8 B is nothing that anybody asks for.
TEST(AllPairs, OfSmallMessagesAMatrixHasTimes) {
  planted::Plan plan = four_ranks();
  for (record::Cell& cell : plan.cells) cell.size_bytes = 8;
  const Answer answer = answer_of(pairs_in(pairs_data(plan, all_alike)));
  EXPECT_THAT(answer.tables.at(2).title,
              StartsWith("openmpi, oneway 8 B, time, from the rank of the row"));
}

TEST(AllPairs, OfOneLaunchGroupAreNotTested) {
  planted::Plan plan = four_ranks();
  plan.groups = 1;
  const AllPairs found = pairs_in(pairs_data(plan, one_is_slow));
  EXPECT_THAT(outliers_of(found), IsEmpty());
  EXPECT_THAT(found.sentence,
              AllOf(StartsWith("openmpi: nothing is tested on one launch group; slowest of 12 "
                               "directed pairs is rank 1 to rank 2, 1."),
                    HasSubstr("this launch only")));
}

TEST(AllPairs, OfRanksWithoutCoresOfTheirOwnAreNoFigures) {
  planted::Plan plan = four_ranks();
  plan.flags = [](std::size_t, std::size_t, std::uint32_t) {
    return std::uint16_t{record::kOversubscribed};
  };
  const AllPairs found = pairs_in(pairs_data(plan, one_is_slow));
  EXPECT_THAT(
      found.sentence,
      StartsWith("No figures: more ranks than cores (oversubscribed); as behaviour, openmpi: "
                 "1 of 12 directed pairs is slower than the others: rank 1 to rank 2; "));
  const Answer answer = answer_of(found);
  EXPECT_THAT(answer.tables.at(2).title, HasSubstr(", time, from the rank of the row"));
  for (const TidyTable& table : answer.tables) {
    for (const ShownColumn& shown : table.shown) EXPECT_NE(shown.header, "GB/s") << table.title;
  }
}

TEST(AllPairs, AnArmThatFailedInAMatchingHasTheOthers) {
  store::Data data = pairs_data(four_ranks(), one_is_slow);
  data.failed_cells.push_back({.cell = 0, .arm = "mpich", .reason = "wrong result"});
  const AllPairs found = pairs_in(data);
  EXPECT_EQ(std::ranges::count(found.rows, "mpich", &PairRow::arm), 10);
  EXPECT_EQ(std::ranges::count(found.rows, "openmpi", &PairRow::arm), 12);
}

TEST(AllPairs, WithoutATimeThatCountsSaySo) {
  planted::Plan plan = four_ranks("pingpong");
  store::Data data = pairs_data(plan, all_alike);
  for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
    for (const char* arm : {"openmpi", "mpich"}) {
      data.failed_cells.push_back({.cell = cell, .arm = arm, .reason = "wrong result"});
    }
  }
  EXPECT_THAT(pairs_in(data).sentence, HasSubstr("in no repetition that counts a pair has a time"));
}

TEST(AllPairs, ShuffledRanksAreNoPairsThatLast) {
  planted::Plan plan = four_ranks();
  for (record::Cell& cell : plan.cells) cell.rank_order = "shuffled";
  EXPECT_THAT(pairs_in(pairs_data(plan, all_alike)).frame.warnings,
              Contains(testing::Field(&Warning::text, HasSubstr("a pair is not the same pair"))));
}

TEST(AllPairs, OfACampaignThatItsResultsEndedAreDoubtful) {
  Rules rules;
  rules.sequential = true;
  const auto warns = Contains(testing::Field(&Warning::text, HasSubstr("stopping = \"fixed\"")));
  EXPECT_THAT(pairs_in(pairs_data(four_ranks(), all_alike), rules).frame.warnings, warns);
  EXPECT_THAT(pairs_in(pairs_data(four_ranks(), all_alike)).frame.warnings, testing::Not(warns));
}

TEST(AllPairs, NeedMatchings) {
  const planted::Plan plan{.cells = {planted::pair_cell("oneway", "ring", 4)}};
  const Study study = planted::study(pairs_data(plan, all_alike));
  ASSERT_TRUE(all_pairs_lack(study));
  EXPECT_THAT(all_pairs_lack(study)->text(), HasSubstr("no cell is a matching of the ranks"));
  EXPECT_THROW((void)all_pairs(study), base::CommandError);
}

TEST(AllPairs, AnswerHasAMatrixAndRatesOfAllTogether) {
  const AllPairs found = pairs_in(pairs_data(four_ranks(), one_is_slow));
  const Answer answer = answer_of(found);
  for (const TidyTable& table : answer.tables) {
    for (const std::vector<Value>& row : table.rows) {
      EXPECT_EQ(row.size(), table.columns.size()) << table.id << table.title;
    }
    for (const ShownColumn& shown : table.shown) {
      EXPECT_NO_THROW((void)column_index(table, shown.column)) << table.title;
    }
  }
  EXPECT_EQ(answer.tables.front().id, "pairs");
  EXPECT_THAT(answer.tables.front().rows, SizeIs(24));
  const TidyTable& matrix = answer.tables.at(2);
  EXPECT_THAT(matrix.title, StartsWith("openmpi, oneway 1 KiB, GB/s, from the rank of the row"));
  ASSERT_THAT(matrix.rows, SizeIs(4));
  EXPECT_TRUE(matrix.rows[2][column_index(matrix, "to 2")].absent()) << "nobody sends to itself";
  EXPECT_EQ(std::get<double>(matrix.rows[1][column_index(matrix, "to 2")].content),
            pair_row_of(found, "openmpi", 1, 2).bandwidth->value);
  EXPECT_EQ(answer.tables.back().id, "rates");
  ASSERT_THAT(found.rates, SizeIs(2));
  EXPECT_EQ(found.rates[0].patterns, 6U);
  EXPECT_EQ(found.rates[0].slowest->name, "1 to 2");
}

// Sentences follow from the rows alone.
PairRow told_pair(std::uint32_t from, std::uint32_t to, double ratio, double half_width,
                  stats::Verdict verdict) {
  PairRow row{.arm = "openmpi",
              .cell = planted::pair_cell("oneway", "all-pairs", 4),
              .pair = {from, to},
              .groups = 8};
  row.against = {.ratio = ratio,
                 .interval = stats::Interval{ratio - half_width, ratio + half_width, 0.95},
                 .p_adjusted = verdict == stats::Verdict::kViolated ? 0.001 : 1,
                 .groups = 8,
                 .verdict = verdict};
  return row;
}

std::string sentence_about(std::vector<PairRow> rows) {
  AllPairs found{.rows = std::move(rows)};
  found.frame.scope = "4 ranks";
  found.frame.arms = {{.label = "openmpi"}};
  return all_pairs_sentence(found);
}

TEST(AllPairsSentence, NamesTheSlowestFirstAndCountsTheRest) {
  using stats::Verdict;
  EXPECT_EQ(sentence_about({told_pair(0, 1, 1.1, 0.03, Verdict::kViolated),
                            told_pair(1, 2, 1.3, 0.05, Verdict::kViolated),
                            told_pair(2, 3, 1.0, 0.05, Verdict::kUndecided)}),
            "openmpi: 2 of 3 directed pairs are slower than the others: rank 1 to rank 2, 1.30 "
            "[1.25, 1.35] times the median; rank 0 to rank 1, 1.10 [1.07, 1.13] times the median: "
            "4 ranks.");
}

TEST(AllPairsSentence, TellsWhatIsEvenFromWhatIsOpen) {
  using stats::Verdict;
  EXPECT_EQ(sentence_about({told_pair(0, 1, 1.0, 0.01, Verdict::kHolds),
                            told_pair(1, 0, 1.0, 0.01, Verdict::kHolds)}),
            "openmpi: none of 2 directed pairs is slower than the others by more than 2 %: 4 "
            "ranks.");
  EXPECT_EQ(sentence_about({told_pair(0, 1, 1.0, 0.01, Verdict::kHolds),
                            told_pair(1, 0, 1.0, 0.2, Verdict::kUndecided)}),
            "openmpi: none of 2 directed pairs can be told to be slower than the others by more "
            "than 2 % (1 open): 4 ranks.");
}

TEST(AllPairsSentence, NamesTheCellWhereThereAreSeveral) {
  PairRow other = told_pair(0, 1, 1.5, 0.1, stats::Verdict::kViolated);
  other.cell.size_bytes = 65536;
  EXPECT_EQ(sentence_about({told_pair(0, 1, 1.0, 0.01, stats::Verdict::kHolds), other}),
            "openmpi: 1 of 1 directed pair in 2 cells is slower than the others: rank 0 to rank 1 "
            "(oneway 64 KiB), 1.50 [1.40, 1.60] times the median: 4 ranks.");
}

}  // namespace
}  // namespace invar::analysis
