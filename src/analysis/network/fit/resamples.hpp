// Launch groups weighed again and again: what every interval of a network's model comes from,
// because the launch group is what would be another one tomorrow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/network/fit/series_points.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

// A number with what resampling says of it.
struct ModelEstimate {
  double value = 0;
  std::optional<stats::Interval> interval = {};  // none: fewer than two launch groups
};

// So many resamples: every launch group counts by chance a little more or less, as the Bayesian
// bootstrap has it (stats::resampled_group_weights). None of fewer than two groups. The same for
// the same seed.
std::vector<std::vector<GroupWeight>> resampled_groups(std::span<const GroupWeight> groups,
                                                       std::size_t resamples, std::uint64_t seed);

// With stats::resampled_interval(), where there are resamples.
ModelEstimate resampled_estimate(double value, std::span<const double> resampled,
                                 std::size_t groups, double confidence);

}  // namespace invar::analysis
