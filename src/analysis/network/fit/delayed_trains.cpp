#include "analysis/network/fit/delayed_trains.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/p2p/message_places.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

// By size and launch group.
struct TrainTimes {
  std::vector<double> times_ns = {};
  std::vector<double> delays_ns = {};
};
using TrainTimesBySize = std::map<std::pair<std::uint64_t, std::uint32_t>, TrainTimes>;

TrainTimesBySize train_times(const DataSeries& series) {
  TrainTimesBySize times;
  for (const SeriesObservation& one : series.observations) {
    TrainTimes& of = times[{one.size_bytes, one.group}];
    of.times_ns.push_back(one.median_ns);
    of.delays_ns.push_back(one.delay_ns);
  }
  return times;
}

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
  const TrainTimesBySize singles = train_times(*single);
  const double further = trains->key.messages - 1;
  std::map<std::uint32_t, std::vector<double>> by_group;
  std::vector<std::uint64_t> sizes;
  std::vector<double> delays_ns;
  for (const auto& [place, times] : train_times(*trains)) {
    const auto one = singles.find(place);
    if (place.first > to_bytes || one == singles.end()) continue;
    const double delay_ns = stats::median(times.delays_ns);
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
