#include "stats/test/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "stats/golden.hpp"

namespace invar::stats {
namespace {

std::optional<TTest> run(const golden::Row& row, const TQuestion& question) {
  const std::string& kind = row.at("kind");
  const golden::Samples& data = golden::samples(kind == "one" ? "one" : "two", row.at("case"));
  if (kind == "one") {
    return t_test(data.x, question);
  }
  if (kind == "welch") {
    return t_test_welch(data.x, data.y, question);
  }
  return kind == "pooled" ? t_test_pooled(data.x, data.y, question)
                          : t_test_paired(data.x, data.y, question);
}

/// R adds the hypothesis to the end of an interval around 0, which rounds at the size of the
/// hypothesis.
void expect_same_end(double actual, double expected, const TQuestion& question,
                     const std::string& what) {
  if (std::isinf(expected)) {
    EXPECT_EQ(actual, expected) << what;
    return;
  }
  EXPECT_NEAR(actual, expected, 1e-10 * std::abs(expected) + 1e-15 * std::abs(question.hypothesis))
      << what;
}

TEST(TTest, AllKindsSamplesAndAlternativesAgreeWithR) {
  int existing = 0;
  for (const golden::Row& row : golden::read("stats_t_test.csv")) {
    const TQuestion question{.hypothesis = *golden::number(row.at("mu")),
                             .alternative = golden::alternative(row.at("alternative")),
                             .confidence = *golden::number(row.at("confidence"))};
    const std::optional<TTest> test = run(row, question);
    const std::string what = row.at("kind") + " " + row.at("case") + " " + row.at("alternative");
    ASSERT_EQ(test.has_value(), !row.at("p").empty()) << what;
    if (!test) {
      continue;
    }
    ++existing;
    golden::expect_close(test->statistic, *golden::number(row.at("statistic")), 1e-10, what);
    golden::expect_close(test->df, *golden::number(row.at("df")), 1e-10, what);
    golden::expect_close(test->p, *golden::number(row.at("p")), 1e-10, what + " p");
    golden::expect_close(test->standard_error, *golden::number(row.at("se")), 1e-10, what);
    expect_same_end(test->interval.low, *golden::number(row.at("low")), question, what + " low");
    expect_same_end(test->interval.high, *golden::number(row.at("high")), question, what + " high");
  }
  EXPECT_GT(existing, 400);
}

TEST(TQuantile, AgreesWithR) {
  for (const golden::Row& row : golden::read("stats_t_quantile.csv")) {
    const double probability = *golden::number(row.at("probability"));
    const double df = *golden::number(row.at("df"));
    const double value = *golden::number(row.at("value"));
    EXPECT_NEAR(t_quantile(probability, df), value, 1e-10 * std::abs(value) + 1e-15);
    EXPECT_NEAR(t_cdf(value, df), probability, 1e-10 * probability);
  }
}

TEST(TInterval, IsMeanAndQuantileTimesError) {
  const Interval interval = t_interval(10.0, 2.0, 4.0, 0.95);
  EXPECT_NEAR(interval.low, 10.0 - 2.0 * 2.7764451051977934, 1e-12);
  EXPECT_NEAR(interval.high, 10.0 + 2.0 * 2.7764451051977934, 1e-12);
  EXPECT_EQ(interval.confidence, 0.95);
}

TEST(TTest, SingleValueAndConstantDataDoNotExist) {
  EXPECT_FALSE(t_test(std::vector{1.0}).has_value());
  EXPECT_FALSE(t_test(std::vector{0.1, 0.1, 0.1}).has_value());
  EXPECT_FALSE(t_test(std::vector{0.0, 0.0, 0.0}).has_value());
  EXPECT_FALSE(t_test_welch(std::vector{1.0}, std::vector{1.0, 2.0}).has_value());
  EXPECT_TRUE(t_test_pooled(std::vector{1.0}, std::vector{1.0, 2.0}).has_value());
  EXPECT_FALSE(t_test_pooled(std::vector{1.0}, std::vector{2.0}).has_value());
  EXPECT_FALSE(t_test_paired(std::vector{2.0, 3.0}, std::vector{1.0, 2.0}).has_value());
}

TEST(TTest, InvalidInputThrows) {
  const std::vector<double> good{1.0, 2.0, 4.0};
  const std::vector<double> empty;
  const std::vector<double> bad{1.0, golden::kNaN, 2.0};
  EXPECT_THROW(t_test(empty), std::invalid_argument);
  EXPECT_THROW(t_test(bad), std::invalid_argument);
  EXPECT_THROW(t_test(good, {.confidence = 1.0}), std::invalid_argument);
  EXPECT_THROW(t_test(good, {.hypothesis = golden::kNaN}), std::invalid_argument);
  EXPECT_THROW(t_test_paired(good, std::vector{1.0}), std::invalid_argument);
  EXPECT_THROW(t_test_welch(good, bad), std::invalid_argument);
  EXPECT_THROW(t_test_pooled(empty, good), std::invalid_argument);
  EXPECT_THROW(t_quantile(0.0, 3.0), std::invalid_argument);
  EXPECT_THROW(t_quantile(0.5, 0.0), std::invalid_argument);
  EXPECT_THROW(t_interval(0.0, -1.0, 3.0, 0.95), std::invalid_argument);
  EXPECT_THROW(t_interval(golden::kNaN, 1.0, 3.0, 0.95), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
