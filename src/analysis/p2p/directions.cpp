#include "analysis/p2p/directions.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

struct BothVisits {
  const VisitSummary* there = nullptr;
  const VisitSummary* back = nullptr;
};
// By launch group and round.
using BothInRounds = std::map<std::pair<std::uint32_t, std::uint32_t>, BothVisits>;

void take_direction(const CellVisits& visits, const VisitSummary* BothVisits::*direction,
                    BothInRounds& rounds) {
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) {
      rounds[{launch.group, visit.round}].*direction = &visit;
    }
  }
}

// Those that have both, of times that are no zeros.
BothInRounds both_in_rounds(const CellVisits& there, const CellVisits& back) {
  BothInRounds rounds;
  take_direction(there, &BothVisits::there, rounds);
  take_direction(back, &BothVisits::back, rounds);
  std::erase_if(rounds, [](const auto& round) {
    const BothVisits& both = round.second;
    return both.there == nullptr || both.back == nullptr || !(both.there->median_ns > 0) ||
           !(both.back->median_ns > 0);
  });
  return rounds;
}

VisitSummary mean_of_visits(const VisitSummary& there, const VisitSummary& back) {
  VisitSummary mean = there;
  mean.median_ns = (there.median_ns + back.median_ns) / 2;
  mean.observations = there.observations + back.observations;
  mean.effective_count = there.effective_count + back.effective_count;
  mean.within_one_step = there.within_one_step && back.within_one_step;
  mean.step_ns = std::max(there.step_ns, back.step_ns);
  mean.burn_in_log.reset();
  return mean;
}

}  // namespace

DirectionsDiffer there_less_back(const CellVisits& there, const CellVisits& back, double apart_ns) {
  DirectionsDiffer tested{.limit_ns = kOffsetsInDifference * apart_ns};
  std::map<std::uint32_t, std::vector<double>> groups;
  for (const auto& [place, both] : both_in_rounds(there, back)) {
    groups[place.first].push_back(both.there->median_ns - both.back->median_ns);
  }
  for (auto& [group, differences] : groups) {
    tested.values.push_back(stats::median_in_place(differences));
  }
  for (const CellVisits* const one : {&there, &back}) {
    tested.floor += one->variance_floor() * one->typical_ns() * one->typical_ns();
  }
  return tested;
}

bool is_told(const DirectionsDiffer& tested, const GroupEstimate& difference) {
  return difference.interval && (difference.interval->low > tested.limit_ns ||
                                 difference.interval->high < -tested.limit_ns);
}

CellVisits mean_of_directions(const CellVisits& there, const CellVisits& back) {
  CellVisits mean;
  for (const auto& [place, both] : both_in_rounds(there, back)) {
    if (mean.launches.empty() || mean.launches.back().group != place.first) {
      mean.launches.push_back({.group = place.first});
    }
    mean.launches.back().visits.push_back(mean_of_visits(*both.there, *both.back));
  }
  for (LaunchVisits& launch : mean.launches) {
    std::ranges::stable_sort(launch.visits, {}, &VisitSummary::block);
    launch.median_ns = median_of_visits(launch);
  }
  return mean;
}

}  // namespace invar::analysis
