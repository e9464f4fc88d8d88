// When repetitions are enough: the running quantities, and the first number at which all are small.
#include "stats/decide/repetitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"

namespace invar::stats {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kRse = static_cast<std::size_t>(RunningQuantity::kRse);
constexpr auto kCovMean = static_cast<std::size_t>(RunningQuantity::kCovMean);
constexpr auto kCovMedian = static_cast<std::size_t>(RunningQuantity::kCovMedian);
constexpr auto kHalfWidth = static_cast<std::size_t>(RunningQuantity::kHalfWidth);

std::vector<std::size_t> numbers_to(std::size_t last) {
  std::vector<std::size_t> all(last);
  std::iota(all.begin(), all.end(), std::size_t{1});
  return all;
}

using Some = std::optional<double>;

RunningValues values_of(Some rse, Some cov_mean = {}, Some cov_median = {}, Some half_width = {}) {
  return {rse, cov_mean, cov_median, half_width};
}

RunningRow row_of(std::size_t n, const RunningValues& values) { return {.n = n, .values = values}; }

TEST(RunningRows, AgreeWithTheDefinitionsPrefixByPrefix) {
  std::map<std::string, std::vector<golden::Row>> by_case;
  for (const golden::Row& row : golden::read("stats_repetitions.csv")) {
    by_case[row.at("case")].push_back(row);
  }
  ASSERT_THAT(by_case, SizeIs(8));
  for (const auto& one_case : by_case) {
    const std::string& name = one_case.first;
    const std::vector<golden::Row>& expected = one_case.second;
    const std::vector<double>& values = golden::samples("one", name).x;
    const auto number = [&](std::size_t i, const char* column) {
      return golden::number(expected[i].at(column));
    };
    const RunningOptions options{
        .mean_window = static_cast<std::size_t>(*number(0, "mean_window")),
        .median_window = static_cast<std::size_t>(*number(0, "median_window")),
        .step = *number(0, "step")};
    std::vector<std::size_t> at;
    at.reserve(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      at.push_back(static_cast<std::size_t>(*number(i, "n")));
    }
    const std::vector<RunningRow> rows = running_rows(values, at, options);
    ASSERT_EQ(rows.size(), expected.size()) << name;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string what = name + " " + std::to_string(rows[i].n);
      EXPECT_EQ(rows[i].n, at[i]) << what;
      golden::expect_close(rows[i].mean, *number(i, "mean"), 1e-13, what);
      golden::expect_close(rows[i].median, *number(i, "median"), 1e-15, what);
      // The values near 1e10 apart by less than 1 (offset) leave a spread this many digits.
      const double relative = name == "offset" ? 1e-5 : 1e-9;
      golden::expect_close(rows[i].values[kRse], number(i, "rse"), relative, what + " rse");
      golden::expect_close(rows[i].values[kCovMean], number(i, "cov_mean"),
                           std::max(1e-6, relative), what + " means");
      golden::expect_close(rows[i].values[kCovMedian], number(i, "cov_median"), relative,
                           what + " medians");
      golden::expect_close(rows[i].values[kHalfWidth], number(i, "half_width"), 1e-12,
                           what + " half-width");
    }
  }
}

// The clock's steps make medians that do not move: their COV is 0 long before the median is known.
TEST(RunningRows, MediansOfACoarseClockAreEqualAndTheirIntervalIsNot) {
  base::Random random(3);
  std::vector<double> values(60);
  for (double& value : values) value = 200 + 10 * (random.uniform() < 0.7 ? 0 : 1);
  const std::vector<std::size_t> at{60};
  const std::vector<RunningRow> rows = running_rows(values, at, {.step = 10});
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_TRUE(rows[0].medians_equal);
  EXPECT_EQ(rows[0].values[kCovMedian], 0.0);
  EXPECT_GE(*rows[0].values[kHalfWidth], 5.0 / 200);
}

TEST(RunningRows, EndWhereTheSeriesEnds) {
  const std::vector<double> values{1, 2, 3};
  EXPECT_THAT(running_rows(values, numbers_to(9), {}), SizeIs(3));
  EXPECT_THAT(running_rows({}, numbers_to(9), {}), IsEmpty());
}

TEST(RunningRows, TimesOfNothingHaveNoRelativeQuantity) {
  const std::vector<double> values(30, 0.0);
  const std::vector<std::size_t> at{30};
  const std::vector<RunningRow> rows = running_rows(values, at, {});
  for (const std::optional<double>& value : rows.at(0).values) EXPECT_FALSE(value);
}

TEST(RunningRows, InvalidInputThrows) {
  const std::vector<double> values{1, golden::kNaN};
  EXPECT_THROW(running_rows(values, numbers_to(2), {}), std::invalid_argument);
  EXPECT_THROW(running_rows(std::vector{1.0}, numbers_to(1), {.mean_window = 1}),
               std::invalid_argument);
  EXPECT_THROW(running_rows(std::vector{1.0}, numbers_to(1), {.median_window = 1}),
               std::invalid_argument);
}

// Each is small once, but never both: one after the other is not at once.
TEST(RepetitionsNeeded, AllThatHaveALimitAreBelowItAtOnce) {
  const std::vector<RunningRow> rows{row_of(20, values_of(0.01, 0.05)),
                                     row_of(30, values_of(0.05, 0.001)),
                                     row_of(40, values_of(0.02, 0.005))};
  EXPECT_EQ(repetitions_needed(rows, values_of(0.025)), 20U);
  EXPECT_EQ(repetitions_needed(rows, values_of({}, 0.01)), 30U);
  EXPECT_EQ(repetitions_needed(rows, values_of(0.025, 0.01)), 40U);
}

TEST(RepetitionsNeeded, BelowIsNotEqualAndWhatDoesNotExistIsNotBelow) {
  const std::vector<RunningRow> rows{row_of(20, values_of(0.025))};
  EXPECT_FALSE(repetitions_needed(rows, values_of(0.025)));
  EXPECT_FALSE(repetitions_needed(rows, values_of({}, {}, {}, 0.5)));
  EXPECT_THROW(repetitions_needed(rows, {}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
