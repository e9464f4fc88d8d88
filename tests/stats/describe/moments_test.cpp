#include "stats/describe/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "stats/describe/summary.hpp"
#include "stats/golden.hpp"

namespace invar::stats {
namespace {

TEST(Moments, AllSamplesAgreeWithR) {
  for (const golden::Row& row : golden::read("stats_summary.csv")) {
    const std::vector<double>& x = golden::samples("one", row.at("case")).x;
    golden::expect_close(mean(x), *golden::number(row.at("mean")), 1e-14, row.at("case"));
    golden::expect_close(variance(x), golden::number(row.at("variance")), 1e-12, row.at("case"));
  }
}

TEST(Mean, CancellingSumsKeepTheirDigits) {
  EXPECT_EQ(mean(std::vector{1e16, 1.0, -1e16, 1.0}), 0.5);
}

TEST(Variance, SingleValueDoesNotExist) {
  EXPECT_FALSE(variance(std::vector{3.0}).has_value());
  EXPECT_FALSE(standard_deviation(std::vector{3.0}).has_value());
}

TEST(Variance, ConstantSampleIsExactlyZero) { EXPECT_EQ(variance(std::vector(7, 0.1)), 0.0); }

TEST(Moments, InvalidInputThrows) {
  EXPECT_THROW(mean(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(mean(std::vector{1.0, golden::kNaN}), std::invalid_argument);
  EXPECT_THROW(variance(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(variance(std::vector{golden::kNaN}), std::invalid_argument);
  EXPECT_THROW(quantisation_variance(-1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(quantisation_variance(1.0, 0.0), std::invalid_argument);
  EXPECT_THROW(quantisation_variance(golden::kNaN, 1.0), std::invalid_argument);
}

TEST(TukeyFilter, AllSamplesKeepWhatRKeepsInOrder) {
  for (const golden::Row& row : golden::read("stats_summary.csv")) {
    const std::vector<double>& x = golden::samples("one", row.at("case")).x;
    EXPECT_EQ(tukey_filter(x), golden::numbers(row.at("kept"))) << row.at("case");
  }
}

TEST(TukeyFilter, ValuesOnTheFencesAreKept) {
  // Quartiles 2 and 4, fences -1 and 7.
  const std::vector<double> values{-1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 7.0};
  const TukeyFences fences = tukey_fences(values);
  EXPECT_EQ(fences.low, -1.0);
  EXPECT_EQ(fences.high, 7.0);
  EXPECT_EQ(tukey_filter(values), values);
}

TEST(TukeyFilter, InvalidInputThrows) {
  EXPECT_THROW(tukey_filter(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(tukey_filter(std::vector{1.0, golden::kNaN}), std::invalid_argument);
}

TEST(Summarize, AllSamplesAgreeWithR) {
  for (const golden::Row& row : golden::read("stats_summary.csv")) {
    const std::vector<double>& x = golden::samples("one", row.at("case")).x;
    const Summary summary = summarize(x);
    EXPECT_EQ(summary.count, x.size());
    golden::expect_close(summary.first_quartile, *golden::number(row.at("q1")), 1e-14, "q1");
    golden::expect_close(summary.median, *golden::number(row.at("median")), 1e-14, "median");
    golden::expect_close(summary.third_quartile, *golden::number(row.at("q3")), 1e-14, "q3");
    EXPECT_EQ(summary.standard_deviation.has_value(), x.size() > 1);
    EXPECT_LE(summary.minimum, summary.first_quartile);
    EXPECT_GE(summary.maximum, summary.third_quartile);
  }
}

TEST(Summarize, EmptySampleThrows) {
  EXPECT_THROW(summarize(std::vector<double>{}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
