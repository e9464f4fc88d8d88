// What all pairs move together, and each by itself, of planted times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/pairs/pair_rates.hpp"
#include "analysis/pairs/planted_pairs.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using planted::all_alike;
using planted::pair_cell;
using planted::pairs_data;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

Bisection rates_in(const store::Data& data) { return bisection(planted::study(data)); }

planted::Plan of_patterns(const std::vector<std::string>& patterns) {
  planted::Plan plan{.arms = {"openmpi"}};
  plan.cells.clear();
  for (const std::string& pattern : patterns) {
    plan.cells.push_back(pair_cell("oneway", pattern, 4));
  }
  plan.group_sd = 0;
  return plan;
}

// 0 to 2 and 1 to 3 are a bisection of four ranks; the second pair takes twice as long.
double second_is_slow(std::size_t /*arm*/, const record::RankPair& pair, std::size_t /*cell*/) {
  return pair.from == 1 ? 2 : 1;
}

// Rank 0's time says half of the truth, and rank 0's rate times the ranks twice as much.
TEST(Bisection, IsAllBytesOverTheTimeFromTheFirstStartToTheLastEnd) {
  const Bisection found = rates_in(pairs_data(of_patterns({"bisection"}), second_is_slow));
  ASSERT_THAT(found.rates, SizeIs(1));
  const PatternRates& rates = found.rates[0];
  EXPECT_EQ(rates.pairs, 2U);
  EXPECT_NEAR(rates.span.median_ns, 2000, 30);
  EXPECT_NEAR(rates.total->value, 2 * 1024 / rates.span.median_ns, 1e-12);
  EXPECT_NEAR(rates.total->interval->high, 2 * 1024 / rates.span.interval_ns->low, 1e-12);
  EXPECT_NEAR(rates.pair->time.median_ns, 1500, 25) << "mean of both pairs' own times";
  EXPECT_NEAR(rates.of_pair->value, 1024 / rates.pair->time.median_ns, 1e-12);
  EXPECT_EQ(rates.slowest->name, "1 to 3");
  EXPECT_NEAR(rates.slowest->time_ns, 2000, 30);
  EXPECT_FALSE(rates.worst) << "there is one pattern";
  EXPECT_TRUE(found.patterns.empty());
}

// Its clocks may have made it so.
TEST(Bisection, NamesNoSlowestPairBelowWhatClocksMayBeApart) {
  const store::Data data = pairs_data(of_patterns({"bisection"}), second_is_slow);
  EXPECT_TRUE(rates_in(planted::with_clocks_within(data, 400)).rates.at(0).slowest);
  EXPECT_FALSE(rates_in(planted::with_clocks_within(data, 600)).rates.at(0).slowest);
}

TEST(Bisection, OfRandomMatchingsIsTheMeanOverThem) {
  planted::Plan plan = of_patterns({"bisection", "random:1", "random:2", "random:3"});
  // The third matching takes four times as long as the others.
  const Bisection found =
      rates_in(pairs_data(plan, [](std::size_t, const record::RankPair&, std::size_t cell) {
        return cell == 3 ? 4.0 : 1.0;
      }));
  ASSERT_THAT(found.rates, SizeIs(2));
  const PatternRates& matchings = found.rates[1];
  EXPECT_EQ(matchings.cell.pattern, "random-matchings:3");
  EXPECT_EQ(matchings.patterns, 3U);
  EXPECT_NEAR(matchings.span.median_ns, 2000, 30);
  EXPECT_NEAR(matchings.total->value, 2 * 1024 / matchings.span.median_ns, 1e-12);
  EXPECT_EQ(matchings.worst->name, "random:3");
  EXPECT_NEAR(matchings.worst->time_ns, 4000, 60);
  EXPECT_NE(matchings.best->name, "random:3");
  EXPECT_THAT(found.patterns, SizeIs(4)) << "each cell by itself, for machines";
  EXPECT_THAT(found.sentence, AllOf(HasSubstr("openmpi moves "), HasSubstr(" GB/s ["),
                                    HasSubstr("] in bisection (oneway 1 KiB, 2 pairs at once), "),
                                    HasSubstr("over 3 random matchings, the effective bisection "
                                              "(oneway 1 KiB, 2 pairs at once)")));
}

// A launch group that lacks a matching would be compared with others that have it.
TEST(Bisection, OfRandomMatchingsNeedsAllOfThemInAGroup) {
  store::Data data = pairs_data(of_patterns({"random:1", "random:2"}), all_alike);
  for (store::Launch& launch : data.groups.front().launches) {
    std::erase_if(launch.visits, [](const store::Visit& visit) { return visit.line.cell == 1; });
  }
  EXPECT_EQ(rates_in(data).rates.at(0).groups, data.groups.size() - 1);
}

TEST(Bisection, OfOneLaunchGroupIsOfThisLaunchOnly) {
  planted::Plan plan = of_patterns({"bisection"});
  plan.groups = 1;
  const Bisection found = rates_in(pairs_data(plan, all_alike));
  EXPECT_TRUE(found.rates.at(0).this_launch_only());
  EXPECT_THAT(found.sentence, HasSubstr("this launch only"));
}

// A pair's own time needs one clock for both ranks; what all take together does as well here.
TEST(Bisection, WhereNoPairCanBeToldHasTheWhole) {
  record::OperationInfo halves = planted::oneway_info();
  halves.times.pop_back();
  const Bisection found =
      rates_in(pairs_data(of_patterns({"bisection"}), second_is_slow, {halves}));
  EXPECT_FALSE(found.rates.at(0).pair);
  EXPECT_TRUE(found.rates.at(0).total);
  ASSERT_FALSE(found.frame.warnings.empty());
  EXPECT_EQ(found.frame.warnings.front().text,
            "oneway: what single pairs take cannot be told: it states no time of a pair");
}

TEST(Bisection, OfMessagesWithoutAByteHasTimesAndNoRates) {
  planted::Plan plan = of_patterns({"bisection"});
  plan.cells[0].size_bytes = 0;
  const Bisection found = rates_in(pairs_data(plan, all_alike));
  EXPECT_FALSE(found.rates.at(0).total);
  EXPECT_THAT(found.sentence, HasSubstr("messages without a byte have times, and no rates"));
}

TEST(Bisection, OfRanksWithoutCoresOfTheirOwnHasNoFigures) {
  planted::Plan plan = of_patterns({"bisection"});
  plan.flags = [](std::size_t, std::size_t, std::uint32_t) {
    return std::uint16_t{record::kOversubscribed};
  };
  const Bisection found = rates_in(pairs_data(plan, all_alike));
  EXPECT_THAT(found.sentence, testing::StartsWith("No figures: more ranks than cores "
                                                  "(oversubscribed); the tables have times as "
                                                  "behaviour alone: "));
  EXPECT_THAT(found.sentence, testing::Not(HasSubstr("GB/s")));
  const Answer answer = answer_of(found);
  for (const ShownColumn& shown : answer.tables.at(0).shown) EXPECT_NE(shown.header, "GB/s");
}

TEST(Bisection, NeedsPairs) {
  const Study study = planted::study(planted::data({}));
  ASSERT_TRUE(bisection_lack(study));
  EXPECT_THAT(bisection_lack(study)->text(),
              HasSubstr("no cell has ranks that send to each other in pairs"));
  EXPECT_THROW((void)bisection(study), base::CommandError);
}

// What both at once take is not a time of messages.
TEST(Bisection, LeavesOutCellsThatCompute) {
  planted::Plan plan = of_patterns({"bisection", "bisection"});
  plan.cells[1].compute = "10000ns";
  EXPECT_THAT(rates_in(pairs_data(plan, all_alike)).rates, SizeIs(1));
}

TEST(Bisection, AnswerHasARowAPatternAndAllCellsForMachines) {
  const planted::Plan plan = of_patterns({"bisection", "random:1", "random:2"});
  const Answer answer = answer_of(rates_in(pairs_data(plan, second_is_slow)));
  ASSERT_THAT(answer.tables, SizeIs(2));
  EXPECT_EQ(answer.tables[0].id, "rates");
  EXPECT_EQ(answer.tables[1].id, "patterns");
  EXPECT_TRUE(answer.tables[1].shown.empty());
  for (const TidyTable& table : answer.tables) {
    for (const std::vector<Value>& row : table.rows) {
      EXPECT_EQ(row.size(), table.columns.size());
    }
    for (const ShownColumn& shown : table.shown) {
      EXPECT_NO_THROW((void)column_index(table, shown.column));
    }
  }
}

}  // namespace
}  // namespace invar::analysis
