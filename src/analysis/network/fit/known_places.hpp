// How well a network's thresholds and breaks are known: between which two sizes each of them lies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/network/fit/series_pieces.hpp"
#include "analysis/network/fit/thresholds.hpp"

namespace invar::analysis {

// As near as a campaign's sizes come to each other where something changes: whichever is more.
struct NearestSizes {
  std::uint64_t bytes = 1;
  double share = 0.02;  // of the size
};

// Which places are known less well than `nearest` allows: "detached is known only to 19 %: 7394 B
// to 8832 B". Places are both thresholds, and the breaks of what a simulator is told. What the
// analyst wrote is left out, and so is a break within a threshold's bracket, which is said already.
std::vector<std::string> loosely_known(const Threshold& detached, const Threshold& async,
                                       std::span<const ModelSeries> series,
                                       const NearestSizes& nearest);

}  // namespace invar::analysis
