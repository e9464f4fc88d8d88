#include "analysis/network/fit/resamples.hpp"

#include "base/random.hpp"
#include "stats/model/segmented_intervals.hpp"

namespace invar::analysis {

std::vector<std::vector<GroupWeight>> resampled_groups(std::span<const GroupWeight> groups,
                                                       std::size_t resamples, std::uint64_t seed) {
  std::vector<std::vector<GroupWeight>> all;
  if (groups.size() < 2) return all;
  base::Random random(seed);
  for (std::size_t i = 0; i < resamples; ++i) {
    const std::vector<double> weights = stats::resampled_group_weights(groups.size(), random);
    std::vector<GroupWeight>& one = all.emplace_back(groups.begin(), groups.end());
    for (std::size_t k = 0; k < weights.size(); ++k) one[k].weight = weights[k];
  }
  return all;
}

ModelEstimate resampled_estimate(double value, std::span<const double> resampled,
                                 std::size_t groups, double confidence) {
  ModelEstimate estimate{.value = value};
  if (!resampled.empty()) {
    estimate.interval = stats::resampled_interval(value, resampled, groups, confidence);
  }
  return estimate;
}

}  // namespace invar::analysis
