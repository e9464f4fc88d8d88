// Both directions between two ranks: what their clocks are apart is in each of them with opposite
// signs, so that it is twice in their difference and not at all in their mean (docs/methods.md,
// "Latency, bandwidth, queues").
#pragma once

#include <vector>

#include "analysis/p2p/message_places.hpp"
#include "analysis/study/pairs.hpp"

namespace invar::analysis {

inline constexpr double kOffsetsInDifference = 2;

// A difference of both directions that may be tested.
struct DirectionsDiffer {
  std::vector<double> values = {};  // there - back in ns, one a launch group
  double floor = 0;                 // least variance of a value that the clock's step allows
  double limit_ns = 0;              // as much may be the clocks'
};

// The value of a launch group is the median over the rounds that have both. `apart_ns`: by how much
// two readings of one moment may differ.
DirectionsDiffer there_less_back(const CellVisits& there, const CellVisits& back, double apart_ns);

// Its whole interval lies beyond what may be the clocks', on one side.
bool is_told(const DirectionsDiffer& tested, const GroupEstimate& difference);

// The mean of both, round by round: as if they were visits of one cell. Rounds, and launch groups,
// that lack one drop out.
CellVisits mean_of_directions(const CellVisits& there, const CellVisits& back);

}  // namespace invar::analysis
