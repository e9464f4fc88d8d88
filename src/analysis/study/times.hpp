// Absolute times: an estimate over launches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analysis/compare/comparison.hpp"
#include "analysis/study/pairs.hpp"

namespace invar::analysis {

// The confidence of the times that `show`, its pictures and the page print.
constexpr double kTimeConfidence = 0.95;

// From six launches on Hodges and Lehmann's estimate over the launches' medians with its interval;
// below, the geometric mean of the medians with a t interval on their logs (variance at least the
// clock's floor); of a single launch its median, with a t interval on the logs of its visits'
// medians from three visits on: that one speaks of this launch only. None without launches.
std::optional<TimeEstimate> time_estimate(const CellVisits& visits, double confidence);

// The same from launch medians alone, without a clock's floor and without an interval for a single
// launch.
std::optional<TimeEstimate> time_estimate(std::span<const double> launch_medians_ns,
                                          double confidence, double variance_floor = 0);

// What that estimate is called where cells rest on so many launches: "median", "geometric mean" (of
// two to five), or both.
std::string estimate_name(std::span<const std::uint64_t> launches);

}  // namespace invar::analysis
