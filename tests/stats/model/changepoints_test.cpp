#include "stats/model/changepoints.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {
namespace {

using Changes = std::vector<std::size_t>;

// A series of 0 and a stretch of `level` over [begin, end), noise of standard deviation 1.
std::vector<WeightedValue> stretch(std::size_t n, std::size_t begin, std::size_t end, double level,
                                   base::Random& random) {
  std::vector<WeightedValue> series(n);
  for (std::size_t i = 0; i < n; ++i) {
    series[i].value = (i >= begin && i < end ? level : 0) +
                      normal_quantile(0.5e-9 + (1 - 1e-9) * random.uniform());
  }
  return series;
}

double segment_cost(const std::vector<WeightedValue>& series, std::size_t begin, std::size_t end) {
  double weight = 0;
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    weight += series[i].weight;
    sum += series[i].weight * series[i].value;
  }
  double cost = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double away = series[i].value - sum / weight;
    cost += series[i].weight * away * away;
  }
  return cost;
}

// Optimal partitioning (Jackson et al. 2005): every end with every begin, nothing pruned.
Changes optimal_partitioning(const std::vector<WeightedValue>& series, double penalty,
                             std::size_t shortest) {
  const std::size_t n = series.size();
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  Changes start(n + 1, 0);
  best[0] = -penalty;
  for (std::size_t end = shortest; end <= n; ++end) {
    for (std::size_t begin = 0; begin + shortest <= end; ++begin) {
      const double total = best[begin] + segment_cost(series, begin, end) + penalty;
      if (total < best[end]) {
        best[end] = total;
        start[end] = begin;
      }
    }
  }
  Changes changes;
  for (std::size_t end = n; start[end] > 0; end = start[end])
    changes.insert(changes.begin(), start[end]);
  return changes;
}

TEST(Changepoints, AgreeWithOptimalPartitioningWhateverIsPruned) {
  base::Random random(12);
  for (int run = 0; run < 300; ++run) {
    const std::size_t n = 2 + random.below(60);
    std::vector<WeightedValue> series(n);
    double level = 0;
    for (WeightedValue& one : series) {
      if (random.below(8) == 0) level = 6 * random.uniform();
      one = {.value = level + random.uniform(), .weight = 0.5 + random.uniform()};
    }
    const double penalty = 3 * random.uniform();
    const std::size_t shortest = 1 + random.below(5);
    EXPECT_EQ(changepoints(series, penalty, shortest),
              n < 2 * shortest ? Changes{} : optimal_partitioning(series, penalty, shortest))
        << "run " << run << ", n " << n << ", shortest " << shortest;
  }
}

TEST(Changepoints, StretchIsFoundWhereItBeginsAndEnds) {
  base::Random random(3);
  EXPECT_EQ(changepoints(stretch(200, 80, 95, 8, random), 2 * std::log(200.0)), (Changes{80, 95}));
}

TEST(Changepoints, NoiseAloneHasFewChanges) {
  base::Random random(4);
  int found = 0;
  for (int run = 0; run < 100; ++run) {
    found += changepoints(stretch(300, 0, 0, 0, random), 2 * std::log(300.0)).empty() ? 0 : 1;
  }
  EXPECT_LE(found, 10);
}

TEST(Changepoints, ShortSeriesAndConstantOnesHaveNone) {
  EXPECT_EQ(changepoints(std::vector<WeightedValue>(1), 1), Changes{});
  EXPECT_EQ(changepoints(std::vector<WeightedValue>(50), 1), Changes{});
  EXPECT_EQ(changepoints(std::vector<WeightedValue>{{.value = 0}, {.value = 100}}, 1, 2),
            Changes{});
  EXPECT_EQ(changepoints(std::vector<WeightedValue>{{.value = 0}, {.value = 100}}, 1, 1),
            Changes{1});
}

TEST(Changepoints, LevelsFarFromZeroLoseNoDigits) {
  std::vector<WeightedValue> series(40, {.value = 1e9});
  for (std::size_t i = 20; i < 40; ++i) series[i].value += 1e-3;
  EXPECT_EQ(changepoints(series, 1e-6), Changes{20});
}

TEST(ClipSeries, SingleWildValueIsNoSegmentOfItsOwn) {
  base::Random random(3);
  std::vector<WeightedValue> series = stretch(200, 100, 101, 500, random);
  const double penalty = 2 * std::log(200.0);
  EXPECT_EQ(changepoints(series, penalty), (Changes{100, 101}));
  clip_series(series, 0, 3);
  EXPECT_EQ(changepoints(series, penalty), Changes{});
}

TEST(ClipSeries, ReachFollowsTheWeight) {
  std::vector<WeightedValue> series{{.value = 10, .weight = 0.25}, {.value = -10, .weight = 1}};
  clip_series(series, 1, 3);
  EXPECT_EQ(series[0].value, 7);
  EXPECT_EQ(series[1].value, -2);
}

TEST(Changepoints, NonsenseThrows) {
  EXPECT_THROW(changepoints({}, 1), std::invalid_argument);
  EXPECT_THROW(changepoints(std::vector<WeightedValue>{{.value = NAN}}, 1), std::invalid_argument);
  EXPECT_THROW(changepoints(std::vector<WeightedValue>{{.weight = 0}}, 1), std::invalid_argument);
  EXPECT_THROW(changepoints(std::vector<WeightedValue>(3), -1), std::invalid_argument);
  EXPECT_THROW(changepoints(std::vector<WeightedValue>(3), 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace invar::stats
