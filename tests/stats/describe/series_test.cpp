#include "stats/describe/series.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/golden.hpp"

namespace invar::stats {
namespace {

TEST(Lag1Autocorrelation, AllSamplesAgreeWithR) {
  for (const golden::Row& row : golden::read("stats_summary.csv")) {
    const std::vector<double>& x = golden::samples("one", row.at("case")).x;
    const std::optional<double> actual = lag1_autocorrelation(x);
    const std::optional<double> expected = golden::number(row.at("lag1"));
    ASSERT_EQ(actual.has_value(), expected.has_value()) << row.at("case");
    if (actual) {
      // At 1e9 +- 1 the rounding of the mean alone is 1e-7 of the spread, in R as here.
      EXPECT_NEAR(*actual, *expected, row.at("case") == "offset" ? 1e-7 : 1e-10) << row.at("case");
    }
  }
}

TEST(EffectiveSampleSize, AutoregressiveSeriesShrinksByTheKnownFactor) {
  base::Random random(8);
  std::vector<double> series(50000);
  double state = 0.0;
  for (double& value : series) {
    state = 0.5 * state + random.uniform() - 0.5;
    value = state;
  }
  EXPECT_NEAR(effective_sample_size(series) / 50000.0, 1.0 / 3.0, 0.02);
}

TEST(EffectiveSampleSize, AlternatingOrConstantOrShortSeriesCountFully) {
  EXPECT_EQ(effective_sample_size(std::vector{1.0, -1.0, 1.0, -1.0, 1.0, -1.0}), 6.0);
  EXPECT_EQ(effective_sample_size(std::vector{2.0, 2.0, 2.0}), 3.0);
  EXPECT_EQ(effective_sample_size(std::vector{2.0}), 1.0);
}

// `cells` series that share half of their variance, each value `rho` of the one before it.
std::optional<SharedMemory> memory_of(double rho, std::size_t cells, std::uint64_t seed) {
  base::Random random(seed);
  const std::vector<std::uint32_t> times{1,  2,  3,  4,  6,  7,  8,  9,  10, 11,
                                         12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                         22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  std::vector<std::vector<double>> values(cells);
  std::vector<double> states(cells);
  double shared = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    shared = rho * shared + random.uniform() - 0.5;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      states[cell] = rho * states[cell] + random.uniform() - 0.5;
      values[cell].push_back(shared + states[cell]);
    }
  }
  std::vector<TimedSeries> series;
  series.reserve(cells);
  for (const std::vector<double>& one : values) series.push_back({times, one});
  return shared_memory(series);
}

TEST(SharedMemory, IsFoundWhereNeighboursResembleEachOtherAndNotElsewhere) {
  constexpr std::size_t kTables = 400;
  std::size_t found = 0;
  std::size_t false_alarms = 0;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kTables; ++seed) {
    const SharedMemory with = *memory_of(0.5, 20, seed);
    found += with.p < 0.01;
    sum += with.r;
    false_alarms += memory_of(0.0, 20, seed)->p < 0.01;
  }
  EXPECT_GT(found, kTables / 2);
  EXPECT_NEAR(sum / kTables, 0.5, 0.1);
  EXPECT_LE(false_alarms, kTables / 40) << "cells that depend on each other do not fool it";
}

TEST(SharedMemory, ConstantOrShortSeriesDoNotCount) {
  const std::vector<std::uint32_t> times{1, 2, 3, 4};
  const std::vector<double> constant(4, 2.0);
  EXPECT_FALSE(shared_memory(std::vector<TimedSeries>{{times, constant}}));
  EXPECT_FALSE(shared_memory(std::vector<TimedSeries>{}));
  // Means of constants are not exact.
  for (int i = 0; i < 40; ++i) {
    const double value = 0.1 + 0.07 * i;
    const std::vector<double> same(11, value);
    const std::vector<std::uint32_t> eleven{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    EXPECT_FALSE(shared_memory(std::vector<TimedSeries>{{eleven, same}})) << value;
  }
  EXPECT_THROW((void)shared_memory(std::vector<TimedSeries>{{times, std::span(constant).first(3)}}),
               std::invalid_argument);
}

TEST(Series, EmptyThrows) {
  EXPECT_THROW(lag1_autocorrelation(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(effective_sample_size(std::vector<double>{}), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
