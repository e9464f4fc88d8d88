#include "stats/decide/inference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

TEST(EstimateRatio, SeveralGroupsGiveTheTTestOnTheLogRatios) {
  const std::vector<double> d{0.10, 0.14, 0.08, 0.11, 0.12};
  const RatioEstimate estimate = estimate_ratio({.d = d}, 0.95);
  const TTest test = *t_test(d);
  EXPECT_DOUBLE_EQ(estimate.ratio, std::exp(0.11));
  EXPECT_DOUBLE_EQ(*estimate.p, test.p);
  EXPECT_DOUBLE_EQ(estimate.interval->low, std::exp(test.interval.low));
  EXPECT_DOUBLE_EQ(estimate.interval->high, std::exp(test.interval.high));
  EXPECT_EQ(estimate.groups, 5U);
  EXPECT_FALSE(estimate.this_launch_only);
}

TEST(EstimateRatio, OneGroupHasAnIntervalFromItsBlocksAndNoP) {
  const std::vector<double> d{0.11};
  const std::vector<double> blocks{0.10, 0.14, 0.08, 0.11, 0.12};
  const RatioEstimate estimate = estimate_ratio({.d = d, .only_group_blocks = blocks}, 0.95);
  EXPECT_TRUE(estimate.this_launch_only);
  EXPECT_FALSE(estimate.p.has_value());
  EXPECT_DOUBLE_EQ(estimate.ratio, std::exp(0.11));
  EXPECT_DOUBLE_EQ(estimate.interval->low, std::exp(t_test(blocks)->interval.low));
}

TEST(EstimateRatio, OneGroupWithTwoBlocksHasNoInterval) {
  const std::vector<double> d{0.12};
  const std::vector<double> blocks{0.10, 0.14};
  EXPECT_FALSE(estimate_ratio({.d = d, .only_group_blocks = blocks}, 0.95).interval.has_value());
  EXPECT_FALSE(estimate_ratio({.d = d}, 0.95).interval.has_value());
}

TEST(EstimateRatio, OneGroupOfSkewedBlocksKeepsTheEstimateInsideTheInterval) {
  std::vector<double> blocks(40, 0.0);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = (i < 24 ? 0.0 : 1.0) + 1e-6 * static_cast<double>(i);
  }
  const std::vector<double> d{blocks[12]};
  const RatioEstimate estimate = estimate_ratio({.d = d, .only_group_blocks = blocks}, 0.95);
  EXPECT_GT(t_test(blocks)->interval.low, d[0]);  // the case that needs it
  EXPECT_LE(estimate.interval->low, estimate.ratio);
  EXPECT_GE(estimate.interval->high, estimate.ratio);
}

TEST(EstimateRatio, ConstantDifferencesHaveNoPUnlessTheClockGivesAFloor) {
  const std::vector<double> d{0.05, 0.05, 0.05, 0.05};
  EXPECT_FALSE(estimate_ratio({.d = d}, 0.95).p.has_value());
  EXPECT_FALSE(estimate_ratio({.d = d}, 0.95).interval.has_value());
  const RatioEstimate floored = estimate_ratio({.d = d, .variance_floor = 0.0004}, 0.95);
  const TTest expected = *t_test_from(0.05, 0.01, 3.0);
  EXPECT_NEAR(*floored.p, expected.p, 1e-14);
  EXPECT_NEAR(floored.interval->low, std::exp(expected.interval.low), 1e-14);
}

TEST(EstimateRatio, FloorBelowTheVarianceChangesNothing) {
  const std::vector<double> d{0.10, 0.14, 0.08, 0.11, 0.12};
  EXPECT_EQ(estimate_ratio({.d = d, .variance_floor = 1e-9}, 0.95).p,
            estimate_ratio({.d = d}, 0.95).p);
}

// 0.267 us that were measured beside 0.250 us that were printed in steps of 0.020 us.
TEST(EstimateRatio, DifferenceBelowARoundingIsNoneHoweverManyGroupsThereAre) {
  std::vector<double> d(1000, std::log(0.267 / 0.250));
  for (std::size_t i = 0; i < d.size(); ++i) d[i] += i % 2 == 0 ? 0.01 : -0.01;
  EXPECT_LT(*estimate_ratio({.d = d}, 0.95).p, 1e-9);
  const double rounding = std::log1p(0.020 / 0.250);
  const RatioEstimate rounded = estimate_ratio({.d = d, .rounding = rounding}, 0.95);
  EXPECT_EQ(rounded.p, 1.0);
  EXPECT_DOUBLE_EQ(rounded.ratio, estimate_ratio({.d = d}, 0.95).ratio);
  EXPECT_LT(rounded.interval->low, 1);
  EXPECT_NEAR(rounded.interval->high,
              estimate_ratio({.d = d}, 0.95).interval->high * std::exp(rounding), 1e-12);
  std::vector<double> far = d;
  for (double& one : far) one += 2 * rounding;
  EXPECT_LT(*estimate_ratio({.d = far, .rounding = rounding}, 0.95).p, 1e-9);
  std::vector<double> constant(5, 0.01);
  EXPECT_EQ(estimate_ratio_unpaired({.log_a = d, .log_b = constant, .rounding = rounding}, 0.95).p,
            1.0);
}

// Otherwise verdict and interval would disagree.
TEST(EstimateRatio, WithARoundingTheIntervalLeavesOutTheBoundWhereThePIsBelow) {
  const std::vector<double> d{0.10, 0.14, 0.08, 0.11, 0.12};
  for (const Hypothesis& hypothesis :
       {Hypothesis{}, Hypothesis{.alternative = Alternative::kGreater, .margin = 0.02},
        Hypothesis{.alternative = Alternative::kLess, .margin = 0.02}}) {
    for (const double rounding : {0.0, 0.02, 0.05, 0.08, 0.1, 0.15}) {
      const RatioEstimate estimate =
          estimate_ratio({.d = d, .rounding = rounding}, 0.95, hypothesis);
      const double bound = std::exp(hypothesis.log_bound());
      const bool beyond = hypothesis.alternative == Alternative::kLess
                              ? estimate.interval->high < bound
                              : estimate.interval->low > bound;
      EXPECT_EQ(beyond, *estimate.p < 0.05) << rounding;
    }
  }
  EXPECT_THROW((void)estimate_ratio({.d = d, .rounding = -1}, 0.95), std::invalid_argument);
}

TEST(EstimateRatio, InvalidInputThrows) {
  const std::vector<double> good{0.1, 0.2};
  const std::vector<double> bad{0.1, golden::kNaN};
  EXPECT_THROW(estimate_ratio({}, 0.95), std::invalid_argument);
  EXPECT_THROW(estimate_ratio({.d = bad}, 0.95), std::invalid_argument);
  EXPECT_THROW(estimate_ratio({.d = good}, 1.0), std::invalid_argument);
  EXPECT_THROW(estimate_ratio({.d = good, .variance_floor = -1.0}, 0.95), std::invalid_argument);
  EXPECT_THROW(estimate_ratio({.d = good, .only_group_blocks = bad}, 0.95), std::invalid_argument);
}

TEST(Reciprocal, ExchangesTheArmsAndKeepsTheTest) {
  const std::vector<double> d{0.10, 0.14, 0.08};
  const std::vector<double> minus{-0.10, -0.14, -0.08};
  const RatioEstimate turned = reciprocal(estimate_ratio({.d = d}, 0.95));
  const RatioEstimate expected = estimate_ratio({.d = minus}, 0.95);
  EXPECT_NEAR(turned.ratio, expected.ratio, 1e-15);
  EXPECT_NEAR(turned.interval->low, expected.interval->low, 1e-14);
  EXPECT_NEAR(turned.interval->high, expected.interval->high, 1e-14);
  EXPECT_EQ(turned.p, expected.p);
}

class CompareTable : public testing::Test {
 protected:
  // A clear difference, a borderline one, none, and one that has a single group.
  const std::vector<double> clear_{-0.30, -0.31, -0.29, -0.32, -0.30};
  const std::vector<double> borderline_{0.10, 0.02, 0.12, 0.03, 0.09};
  const std::vector<double> nothing_{0.03, -0.04, 0.02, -0.01, 0.01};
  const std::vector<double> alone_{0.5};
  const std::vector<TableCell> cells_{{.differences = {.d = clear_}},
                                      {.differences = {.d = borderline_}},
                                      {.differences = {.d = nothing_}},
                                      {.differences = {.d = nothing_}},
                                      {.differences = {.d = alone_}}};
};

TEST_F(CompareTable, VerdictsSpeakAboutA) {
  const std::vector<TableRow> rows = compare_table(cells_, {});
  EXPECT_EQ(rows[0].verdict, Verdict::kFaster);
  EXPECT_EQ(rows[2].verdict, Verdict::kUndecided);
  EXPECT_EQ(rows[4].verdict, Verdict::kUndecided);
}

TEST_F(CompareTable, CellWithoutTestStaysOutOfTheFamily) {
  const std::vector<TableRow> rows = compare_table(cells_, {});
  EXPECT_FALSE(rows[4].p_adjusted.has_value());
  EXPECT_NEAR(*rows[0].p_adjusted, 4.0 * *rows[0].plain.p, 1e-15);
}

TEST_F(CompareTable, CorrectionDecidesAboutTheBorderlineCell) {
  EXPECT_EQ(compare_table(cells_, {}, Correction::kNone)[1].verdict, Verdict::kSlower);
  EXPECT_EQ(compare_table(cells_, {}, Correction::kHolm)[1].verdict, Verdict::kUndecided);
}

TEST_F(CompareTable, PrintedIntervalExcludesOneExactlyWhereRejected) {
  for (const Correction correction :
       {Correction::kBenjaminiHochberg, Correction::kHolm, Correction::kNone}) {
    for (int step = 0; step < 24; ++step) {
      const double alpha = 0.001 * std::pow(1.3, step);
      for (const TableRow& row : compare_table(cells_, {.alpha = alpha}, correction)) {
        if (row.rejected) {
          const Interval interval = *row.printed_interval;
          EXPECT_TRUE(interval.low > 1.0 || interval.high < 1.0) << alpha;
          EXPECT_LE(interval.low, row.plain.interval->low);
          EXPECT_GE(interval.high, row.plain.interval->high);
        } else {
          EXPECT_EQ(row.printed_interval, row.plain.interval);
        }
      }
    }
  }
}

TEST_F(CompareTable, ResolutionOfTheClockReachesTheVerdict) {
  const std::vector<double> tiny{0.001, -0.001, 0.0005, -0.0005, 0.0};
  std::vector<TableCell> cells{{.differences = {.d = tiny}}};
  EXPECT_EQ(compare_table(cells, {})[0].verdict, Verdict::kEquivalent);
  cells[0].resolution = 0.05;
  EXPECT_EQ(compare_table(cells, {})[0].verdict, Verdict::kUndecided);
}

// Cells that certainly differ by less than anybody cares have small p, and claim nothing. Counted
// as discoveries they would leave the others a test at almost the whole alpha each.
TEST_F(CompareTable, EquivalentCellsDoNotPayForFalseVerdictsOfOthers) {
  base::Random random(7);
  const auto normal = [&random] {
    return std::sqrt(-2.0 * std::log(1.0 - random.uniform())) *
           std::cos(2.0 * std::numbers::pi * random.uniform());
  };
  constexpr int kTables = 400;
  int wrong_tables = 0;
  for (int table = 0; table < kTables; ++table) {
    std::vector<std::vector<double>> d(20);
    for (std::size_t cell = 0; cell < d.size(); ++cell) {
      const bool small_and_known = cell < 10;
      for (int group = 0; group < 5; ++group) {
        d[cell].push_back(small_and_known ? 0.005 + 0.001 * normal() : 0.05 * normal());
      }
    }
    std::vector<TableCell> cells;
    for (const std::vector<double>& values : d) cells.push_back({.differences = {.d = values}});
    const std::vector<TableRow> rows = compare_table(cells, {});
    bool wrong = false;
    for (std::size_t cell = 0; cell < rows.size(); ++cell) {
      if (cell < 10) {
        EXPECT_EQ(rows[cell].verdict, Verdict::kEquivalent);
      }
      wrong = wrong || (cell >= 10 && rows[cell].rejected);
    }
    wrong_tables += wrong ? 1 : 0;
  }
  EXPECT_LE(wrong_tables, 0.05 * kTables + 3 * std::sqrt(0.05 * 0.95 * kTables))
      << "23 % if equivalent cells counted as rejected";
}

TEST_F(CompareTable, EmptyTableStaysEmptyAndBadAlphaThrows) {
  EXPECT_TRUE(compare_table({}, {}).empty());
  EXPECT_THROW(compare_table({}, {.alpha = 1.0}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
