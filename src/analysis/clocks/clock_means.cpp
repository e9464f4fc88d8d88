#include "analysis/clocks/clock_means.hpp"

#include <cmath>

#include "stats/describe/moments.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

constexpr double kMeansConfidence = 0.95;

PooledMean mean_of(const std::vector<double>& values, std::size_t launches, double confidence) {
  PooledMean mean{.mean = stats::mean(values), .launches = launches};
  if (const auto test = stats::t_test(values, {.confidence = confidence})) {
    mean.interval = test->interval;
  }
  return mean;
}

}  // namespace

std::optional<PooledMean> pooled_mean(const OfLaunches& values, double confidence) {
  std::vector<double> means;
  std::vector<double> only;
  for (const auto& [launch, own] : values) {
    if (own.empty()) continue;
    only = own;
    means.push_back(stats::mean(own));
  }
  if (means.empty()) return std::nullopt;
  return means.size() == 1 ? mean_of(only, 1, confidence)
                           : mean_of(means, means.size(), confidence);
}

std::optional<PooledMean> pooled_mean(const std::vector<ClockMean>& launches) {
  std::vector<double> means;
  ClockMean only;
  for (const ClockMean& launch : launches) {
    if (launch.count < 1) continue;
    only = launch;
    means.push_back(launch.mean);
  }
  if (means.empty()) return std::nullopt;
  if (means.size() > 1) return mean_of(means, means.size(), kMeansConfidence);
  PooledMean mean{.mean = only.mean, .launches = 1};
  if (only.count > 1 && only.sd > 0) {
    mean.interval = stats::t_interval(only.mean, only.sd / std::sqrt(only.count), only.count - 1,
                                      kMeansConfidence);
  }
  return mean;
}

void add_mean_columns(std::vector<TidyColumn>& columns, const std::string& prefix) {
  const std::string mean = prefix + "mean_ns";
  const std::string low = prefix + "mean_low_ns";
  const std::string high = prefix + "mean_high_ns";
  columns.push_back({.name = mean, .kind = Kind::kTime, .low = low, .high = high});
  columns.push_back({.name = low, .kind = Kind::kTime});
  columns.push_back({.name = high, .kind = Kind::kTime});
}

void add_mean(std::vector<Value>& row, const std::optional<PooledMean>& mean) {
  row.push_back(mean ? Value(mean->mean) : Value());
  const bool known = mean && mean->interval;
  row.push_back(known ? Value(mean->interval->low) : Value());
  row.push_back(known ? Value(mean->interval->high) : Value());
}

}  // namespace invar::analysis
