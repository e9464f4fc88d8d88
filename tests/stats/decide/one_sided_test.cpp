// Questions with a direction and a margin: "the ratio is at most 1 + margin".
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "simulations.hpp"
#include "stats/aa_groups.hpp"
#include "stats/decide/inference.hpp"
#include "stats/decide/sequential.hpp"
#include "stats/golden.hpp"
#include "stats/test/binomial.hpp"

namespace invar::stats {
namespace {

constexpr Hypothesis kGreater{.alternative = Alternative::kGreater, .margin = 0.02};
constexpr Hypothesis kLess{.alternative = Alternative::kLess, .margin = 0.02};

Hypothesis hypothesis_of(const golden::Row& row) {
  return {.alternative = golden::alternative(row.at("alternative")),
          .margin = *golden::number(row.at("margin"))};
}

std::vector<double> logs(const std::vector<double>& times, double unit) {
  std::vector<double> d;
  for (const double time : times) d.push_back(std::log(time / unit));
  return d;
}

TEST(OneSidedRatio, PAndBothEndsAgreeWithR) {
  for (const golden::Row& row : golden::read("stats_margin.csv")) {
    const double confidence = *golden::number(row.at("confidence"));
    const std::string what = row.at("kind") + " " + row.at("case") + " " + row.at("alternative") +
                             " " + row.at("margin") + " " + row.at("confidence");
    RatioEstimate estimate;
    if (row.at("kind") == "paired") {
      const std::vector<double> d = logs(golden::samples("one", row.at("case")).x, 1000);
      estimate = estimate_ratio({.d = d}, confidence, hypothesis_of(row));
    } else {
      const golden::Samples& samples = golden::samples("two", row.at("case"));
      const std::vector<double> a = logs(samples.x, 1);
      const std::vector<double> b = logs(samples.y, 1);
      estimate = estimate_ratio_unpaired({.log_a = a, .log_b = b}, confidence, hypothesis_of(row));
    }
    golden::expect_close(estimate.p, golden::number(row.at("p")), 1e-9, what + " p");
    ASSERT_TRUE(estimate.interval) << what;
    golden::expect_close(estimate.interval->low, *golden::number(row.at("low")), 1e-10, what);
    golden::expect_close(estimate.interval->high, *golden::number(row.at("high")), 1e-10, what);
    EXPECT_DOUBLE_EQ(estimate.interval->confidence, 2 * confidence - 1) << what;
  }
}

TEST(OneSidedRatio, TheReciprocalIsAskedInTheOtherDirection) {
  const std::vector<double> d{0.10, 0.14, 0.08, 0.05};
  const std::vector<double> minus{-0.10, -0.14, -0.08, -0.05};
  const RatioEstimate turned = reciprocal(estimate_ratio({.d = d}, 0.95, kGreater));
  const RatioEstimate expected = estimate_ratio({.d = minus}, 0.95, kLess);
  EXPECT_EQ(turned.hypothesis, kLess);
  EXPECT_NEAR(*turned.p, *expected.p, 1e-14);
  EXPECT_NEAR(turned.interval->low, expected.interval->low, 1e-14);
  EXPECT_NEAR(turned.interval->high, expected.interval->high, 1e-14);
}

TEST(OneSidedRatio, WhatIsNoHypothesisThrows) {
  const std::vector<double> d{0.1, 0.2, 0.15};
  const auto ask = [&](const Hypothesis& hypothesis, double confidence) {
    return estimate_ratio({.d = d}, confidence, hypothesis);
  };
  EXPECT_THROW(ask({.margin = 0.02}, 0.95), std::invalid_argument) << "no direction";
  EXPECT_THROW(ask({.alternative = Alternative::kLess, .margin = -0.02}, 0.95),
               std::invalid_argument);
  EXPECT_THROW(ask({.alternative = Alternative::kLess, .margin = golden::kNaN}, 0.95),
               std::invalid_argument);
  EXPECT_THROW(ask(kGreater, 0.5), std::invalid_argument) << "no two ends of 50 %";
}

// One row whose interval has these ends.
Evidence evidence(const Hypothesis& hypothesis, double ratio, double low, double high, double p) {
  return {.ratio_a_to_b = ratio,
          .plain_interval = Interval{low, high, 0.9},
          .p_adjusted = p,
          .launches = 10,
          .hypothesis = hypothesis};
}

TEST(OneSidedVerdict, BeyondTheMarginIsViolatedWithinItHolds) {
  EXPECT_EQ(decide(evidence(kGreater, 1.10, 1.05, 1.15, 0.001), {}), Verdict::kViolated);
  EXPECT_EQ(decide(evidence(kGreater, 1.00, 0.99, 1.01, 0.999), {}), Verdict::kHolds);
  EXPECT_EQ(decide(evidence(kGreater, 0.50, 0.49, 0.51, 1.0), {}), Verdict::kHolds);
  EXPECT_EQ(decide(evidence(kLess, 0.90, 0.85, 0.95, 0.001), {}), Verdict::kViolated);
  EXPECT_EQ(decide(evidence(kLess, 1.00, 0.99, 1.01, 0.999), {}), Verdict::kHolds);
  EXPECT_EQ(decide(evidence(kLess, 2.00, 1.90, 2.10, 1.0), {}), Verdict::kHolds);
}

TEST(OneSidedVerdict, AnIntervalAcrossTheMarginOrALargePIsUndecided) {
  EXPECT_EQ(decide(evidence(kGreater, 1.00, 0.97, 1.03, 0.8), {}), Verdict::kUndecided);
  EXPECT_EQ(decide(evidence(kGreater, 1.03, 1.00, 1.06, 0.2), {}), Verdict::kUndecided);
  EXPECT_EQ(decide(evidence(kLess, 1.00, 0.97, 1.03, 0.8), {}), Verdict::kUndecided);
}

TEST(OneSidedVerdict, OneLaunchSaysNothing) {
  Evidence single = evidence(kGreater, 1.5, 1.4, 1.6, 0.0);
  single.launches = 1;
  EXPECT_EQ(decide(single, {}), Verdict::kUndecided);
}

// Either could be the rounding of a clock's step.
TEST(OneSidedVerdict, NoCloserToTheMarginThanTheClockTellsIsUndecided) {
  Evidence beyond = evidence(kGreater, 1.05, 1.04, 1.06, 0.0);
  Evidence within = evidence(kGreater, 1.00, 0.99, 1.01, 1.0);
  EXPECT_EQ(decide(beyond, {}), Verdict::kViolated);
  EXPECT_EQ(decide(within, {}), Verdict::kHolds);
  beyond.resolution = within.resolution = 0.05;
  EXPECT_EQ(decide(beyond, {}), Verdict::kUndecided);
  EXPECT_EQ(decide(within, {}), Verdict::kUndecided);
}

TEST(OneSidedVerdict, HasWordsOfItsOwn) {
  EXPECT_EQ(to_string(Verdict::kViolated), "violated");
  EXPECT_EQ(to_string(Verdict::kHolds), "holds");
}

struct MixedTable {
  std::vector<golden::Row> rows = golden::read("stats_mixed_table.csv");
  std::vector<std::vector<double>> d = {};
  std::vector<TableCell> cells = {};

  MixedTable() {
    for (const golden::Row& row : rows) {
      d.push_back(logs(golden::samples("one", row.at("case")).x, 1000));
      for (double& value : d.back()) value += *golden::number(row.at("shift"));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      cells.push_back({.differences = {.d = d[i]}, .hypothesis = hypothesis_of(rows[i])});
    }
  }
};

TEST(MixedDirections, AreCorrectedTogetherAsInR) {
  const MixedTable table;
  for (const auto& [correction, column] :
       {std::pair(Correction::kBenjaminiHochberg, "bh"), std::pair(Correction::kHolm, "holm")}) {
    const std::vector<TableRow> judged = compare_table(table.cells, {}, correction);
    for (std::size_t i = 0; i < judged.size(); ++i) {
      const std::string what = table.rows[i].at("case") + " " + table.rows[i].at("alternative");
      golden::expect_close(judged[i].plain.p, golden::number(table.rows[i].at("p")), 1e-9, what);
      // On its own side of the margin a row claims nothing, and counts with 1.
      const bool own_side = *judged[i].plain.p > 0.5 && table.cells[i].hypothesis.one_sided();
      const double expected = own_side ? 1 : *golden::number(table.rows[i].at(column));
      golden::expect_close(*judged[i].p_adjusted, expected, 1e-9, what + " " + column);
    }
  }
}

TEST(MixedDirections, PrintedIntervalsAgreeWithTheVerdicts) {
  const MixedTable table;
  for (const double alpha : {0.001, 0.01, 0.05, 0.2}) {
    for (const TableRow& row : compare_table(table.cells, {.alpha = alpha})) {
      const double bound = std::exp(row.plain.hypothesis.log_bound());
      // Where the hypothesis is not rejected, the interval may reach beyond the bound.
      if (row.verdict == Verdict::kHolds || row.verdict == Verdict::kEquivalent ||
          row.verdict == Verdict::kUndecided) {
        continue;
      }
      EXPECT_TRUE(row.printed_interval->low > bound || row.printed_interval->high < bound) << alpha;
    }
  }
}

TEST(MixedDirections, ARowThatTheClockForbidsToClaimCountsWithOne) {
  const std::vector<double> beyond{0.048, 0.050, 0.051, 0.049, 0.050};
  const std::vector<double> near{0.01, 0.05, 0.06, 0.02, 0.05};
  const std::vector<TableCell> cells{
      {.differences = {.d = beyond}, .resolution = 0.1, .hypothesis = kGreater},
      {.differences = {.d = near}, .hypothesis = {.alternative = Alternative::kGreater}}};
  const std::vector<TableRow> rows = compare_table(cells, {});
  EXPECT_EQ(rows[0].verdict, Verdict::kUndecided);
  EXPECT_EQ(rows[0].p_adjusted, 1.0);
  EXPECT_NEAR(*rows[1].p_adjusted, 2 * *rows[1].plain.p, 1e-12);
}

// "A larger message takes no less time", over 20 sizes: 19 pairs of neighbours in one table. The
// noise of every size is that of real A/A groups, and neighbours share a size.
class MonotoneTable {
 public:
  // log(t(s_i) / t(s_i+1)) = `truth` in every pair.
  MonotoneTable(const std::vector<std::vector<double>>& groups, double truth, double margin)
      : groups_(groups), truth_(truth), margin_(margin) {}

  std::vector<SequentialCell> draw(std::size_t launches, base::Random& random) const {
    std::vector<SequentialCell> pairs(groups_.front().size() - 1);
    for (std::size_t launch = 0; launch < launches; ++launch) {
      const std::vector<double>& noise = groups_[random.below(groups_.size())];
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        pairs[i].d.push_back(noise[i] - noise[i + 1] + truth_);
        pairs[i].hypothesis = {.alternative = Alternative::kGreater, .margin = margin_};
      }
    }
    return pairs;
  }

 private:
  const std::vector<std::vector<double>>& groups_;
  double truth_;
  double margin_;
};

struct MonotoneOutcome {
  std::size_t tables_violated = 0;  // of all
  double violated = 0;              // share of all pairs
  double holds = 0;
};

constexpr std::size_t kTables = test::simulations(1000);
constexpr std::size_t kFewTables = 50;

MonotoneOutcome judge(const MonotoneTable& truth, bool looks, std::size_t tables) {
  base::Random random(11);
  MonotoneOutcome outcome;
  double pairs = 0;
  for (std::size_t table = 0; table < tables; ++table) {
    const std::vector<SequentialCell> drawn = truth.draw(looks ? 30 : 8, random);
    const LookRule once[]{{.launches = 8, .alpha_share = 1}};
    const auto rules = looks ? std::span<const LookRule>(kLooks) : std::span<const LookRule>(once);
    double violated = 0;
    for (const Standing& standing : take_looks(drawn, rules, {})) {
      violated += standing.row.verdict == Verdict::kViolated ? 1 : 0;
      outcome.holds += standing.row.verdict == Verdict::kHolds ? 1 : 0;
      ++pairs;
    }
    outcome.tables_violated += violated > 0 ? 1U : 0U;
    outcome.violated += violated;
  }
  outcome.violated /= pairs;
  outcome.holds /= pairs;
  return outcome;
}

struct MonotoneCase {
  std::string library;
  bool looks = false;
};

class MonotoneSizes : public testing::TestWithParam<MonotoneCase> {
 protected:
  [[nodiscard]] MonotoneOutcome judged(double truth, double margin,
                                       std::size_t tables = kTables) const {
    return judge({groups_, truth, margin}, GetParam().looks, tables);
  }

  std::vector<std::vector<double>> groups_ = real_groups(GetParam().library);
};

// The worst that still is not a violation: every pair at the margin. From there on "holds" is
// false, too.
TEST_P(MonotoneSizes, FalseVerdictsAreNoMoreThanAlpha) {
  for (const double margin : {0.0, 0.02}) {
    const MonotoneOutcome outcome = judged(std::log1p(margin), margin);
    EXPECT_LE(outcome.tables_violated, binomial_limit(kTables, 0.05, 0.01)) << margin;
    EXPECT_LE(outcome.holds, 0.05) << margin;
  }
}

// The margin is part of the question: what a test against 1 would find is not a violation.
TEST_P(MonotoneSizes, WithoutTheMarginNearlyEveryTableWouldBeViolated) {
  EXPECT_GT(judged(std::log1p(0.02), 0.0, kFewTables).tables_violated, kFewTables / 2);
}

TEST_P(MonotoneSizes, PlainTruthIsFound) {
  const MonotoneOutcome violated = judged(std::log(1.15), 0.02, kFewTables);
  EXPECT_GT(violated.violated, 0.9);
  EXPECT_LT(violated.holds, 0.001);
  const MonotoneOutcome holds = judged(std::log(0.9), 0.02, kFewTables);
  EXPECT_GT(holds.holds, 0.9);
  EXPECT_EQ(holds.tables_violated, 0U);
}

INSTANTIATE_TEST_SUITE_P(RealNoise, MonotoneSizes,
                         testing::Values(MonotoneCase{"openmpi", false},
                                         MonotoneCase{"openmpi", true},
                                         MonotoneCase{"mpich", false}, MonotoneCase{"mpich", true}),
                         [](const auto& one) {
                           return one.param.library + (one.param.looks ? "ByLooks" : "Fixed");
                         });

TEST(OneSidedLooks, ALookSpendsItsShareOfAlpha) {
  // p = .004: enough for a single test at .05, not for a tenth of it.
  const std::vector<SequentialCell> near{{.d = {0.048, 0.050, 0.060}, .hypothesis = kGreater}};
  const std::vector<Standing> one = take_looks(near, kLooks, {.alpha = 0.05});
  EXPECT_LT(*one[0].row.plain.p, 0.05);
  EXPECT_GT(*one[0].row.plain.p, 0.005);
  EXPECT_EQ(one[0].row.verdict, Verdict::kUndecided);
  EXPECT_NEAR(one[0].row.plain.interval->confidence, 1 - 2 * 0.10 * 0.05, 1e-12);
}

}  // namespace
}  // namespace invar::stats
