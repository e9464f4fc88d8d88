// Means of what clocks show, with 95 % intervals (paper 002, figures 4, 7 and 11). Launches of the
// library are what repeats: with several of them an interval is that of their means; one launch has
// only its repetitions, as the paper's figure 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/tidy_table.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

struct PooledMean {
  double mean = 0;
  // None of a single value, and of values that are all alike.
  std::optional<stats::Interval> interval = {};
  std::size_t launches = 0;
};

// Values by launch. None: there is none.
using OfLaunches = std::map<std::uint32_t, std::vector<double>>;
std::optional<PooledMean> pooled_mean(const OfLaunches& values, double confidence = 0.95);

// A launch of which only this is known.
struct ClockMean {
  double count = 0;
  double mean = 0;
  double sd = 0;
};
std::optional<PooledMean> pooled_mean(const std::vector<ClockMean>& launches);

// Columns and values of a mean and its interval: for "local_" `local_mean_ns`, `local_mean_low_ns`,
// ...
void add_mean_columns(std::vector<TidyColumn>& columns, const std::string& prefix);
void add_mean(std::vector<Value>& row, const std::optional<PooledMean>& mean);

}  // namespace invar::analysis
