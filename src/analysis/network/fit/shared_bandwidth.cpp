#include "analysis/network/fit/shared_bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

using AtOnce = std::tuple<std::uint64_t, std::size_t, std::size_t>;  // size, pairs, flows

// Logarithms of rates by launch group.
using RatesOfGroups = std::map<std::uint32_t, double>;

std::map<AtOnce, RatesOfGroups> rates_of(std::span<const SharedObservation> observed) {
  std::map<AtOnce, std::map<std::uint32_t, std::vector<double>>> times;
  for (const SharedObservation& one : observed) {
    times[{one.size_bytes, one.pairs, one.flows}][one.group].push_back(one.median_ns);
  }
  std::map<AtOnce, RatesOfGroups> rates;
  for (auto& [at_once, groups] : times) {
    const auto& [size_bytes, pairs, flows] = at_once;
    const double bytes = static_cast<double>(flows) * static_cast<double>(size_bytes);
    for (auto& [group, of_group] : groups) {
      rates[at_once][group] = std::log(bytes / stats::median_in_place(of_group));
    }
  }
  return rates;
}

double counts_as(std::span<const GroupWeight> weights, std::uint32_t group) {
  const auto found = std::ranges::find(weights, group, &GroupWeight::group);
  return found == weights.end() ? 1 : found->weight;
}

double mean_rate(const RatesOfGroups& rates, std::span<const GroupWeight> weights) {
  double sum = 0;
  double all = 0;
  for (const auto& [group, rate] : rates) {
    const double weight = counts_as(weights, group);
    sum += weight * rate;
    all += weight;
  }
  return std::exp(sum / all);
}

}  // namespace

SharedBandwidth shared_bandwidth(std::span<const SharedObservation> observed,
                                 std::span<const std::vector<GroupWeight>> resamples,
                                 double confidence) {
  SharedBandwidth made;
  std::vector<double> most(resamples.size(), 0);
  std::set<std::uint32_t> groups;
  double most_of_all = 0;
  for (const auto& [at_once, rates] : rates_of(observed)) {
    const auto& [size_bytes, pairs, flows] = at_once;
    std::vector<double> resampled;
    for (std::size_t i = 0; i < resamples.size(); ++i) {
      resampled.push_back(mean_rate(rates, resamples[i]));
      most[i] = std::max(most[i], resampled.back());
    }
    for (const auto& [group, rate] : rates) groups.insert(group);
    const double value = mean_rate(rates, {});
    most_of_all = std::max(most_of_all, value);
    made.points.push_back({.size_bytes = size_bytes,
                           .pairs = pairs,
                           .flows = flows,
                           .gb_s = resampled_estimate(value, resampled, rates.size(), confidence),
                           .groups = rates.size()});
  }
  if (made.points.empty()) return made;
  made.most_gb_s = resampled_estimate(most_of_all, most, groups.size(), confidence);
  return made;
}

}  // namespace invar::analysis
