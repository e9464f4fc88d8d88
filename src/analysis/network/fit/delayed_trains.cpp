#include "analysis/network/fit/delayed_trains.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/network/fit/times_by_place.hpp"
#include "analysis/p2p/message_places.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

const DataSeries* longest_with_delay(const NetworkData& data) {
  const DataSeries* longest = nullptr;
  for (const DataSeries& one : data.series) {
    if (one.key.kind != SeriesKind::kTrain || !one.key.delayed || one.key.messages < 2) continue;
    if (longest == nullptr || longest->key.messages < one.key.messages) longest = &one;
  }
  return longest;
}

}  // namespace

std::optional<DelayedOverhead> delayed_overhead(const NetworkData& data, std::uint64_t to_bytes,
                                                double confidence) {
  const DataSeries* single = data.find({.kind = SeriesKind::kTrain});
  const DataSeries* trains = longest_with_delay(data);
  if (single == nullptr || trains == nullptr) return std::nullopt;
  const TimesByPlace singles = times_by_place(*single, &SeriesObservation::delay_ns);
  const double further = trains->key.messages - 1;
  std::map<std::uint32_t, std::vector<double>> by_group;
  std::vector<std::uint64_t> sizes;
  std::vector<double> delays_ns;
  for (const auto& [place, times] : times_by_place(*trains, &SeriesObservation::delay_ns)) {
    const auto one = singles.find(place);
    if (place.first > to_bytes || one == singles.end()) continue;
    const double delay_ns = stats::median(times.given_ns);
    const double more_ns = stats::median(times.times_ns) - stats::median(one->second.times_ns);
    by_group[place.second].push_back(more_ns / further - delay_ns);
    delays_ns.push_back(delay_ns);
    sizes.push_back(place.first);
  }
  if (by_group.empty()) return std::nullopt;
  std::vector<double> groups;
  groups.reserve(by_group.size());
  for (auto& [group, values] : by_group) groups.push_back(stats::median_in_place(values));
  const GroupEstimate mean = mean_over_groups(groups, 0, confidence);
  const auto [least, most] = std::ranges::minmax(sizes);
  return DelayedOverhead{.sizes = {.from_bytes = least, .to_bytes = most},
                         .groups = groups.size(),
                         .delay_ns = stats::median_in_place(delays_ns),
                         .overhead_ns = {.value = mean.value, .interval = mean.interval}};
}

}  // namespace invar::analysis
