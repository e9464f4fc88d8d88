// A series' visits by size and launch group.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/network/network_data.hpp"

namespace invar::analysis {

struct PlaceTimes {
  std::vector<double> times_ns = {};  // medians of visits
  std::vector<double> given_ns = {};  // of each what was asked of the ranks, beside
};
using TimesByPlace = std::map<std::pair<std::uint64_t, std::uint32_t>, PlaceTimes>;

// `given`: SeriesObservation::lateness_ns or delay_ns.
inline TimesByPlace times_by_place(const DataSeries& series, double SeriesObservation::*given) {
  TimesByPlace times;
  for (const SeriesObservation& one : series.observations) {
    PlaceTimes& of = times[{one.size_bytes, one.group}];
    of.times_ns.push_back(one.median_ns);
    of.given_ns.push_back(one.*given);
  }
  return times;
}

}  // namespace invar::analysis
