// Absolute times: an estimate over launches.
#pragma once

#include <optional>
#include <set>
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
// medians from three visits on: that one speaks of this launch only. What programs printed may be
// off by a step of the last digit beyond both ends. None without launches.
std::optional<TimeEstimate> time_estimate(const CellVisits& visits, double confidence);

// The same from launch medians alone, without a clock's floor and without an interval for a single
// launch.
std::optional<TimeEstimate> time_estimate(std::span<const double> launch_medians_ns,
                                          double confidence, double variance_floor = 0);

// What the times of a table are, in words: "Hodges-Lehmann estimate (below six: geometric mean)".
class EstimateWords {
 public:
  void add(const std::optional<TimeEstimate>& time);
  // Empty where there is no time.
  [[nodiscard]] std::string text() const;

 private:
  std::set<Estimate> kinds_ = {};
};

}  // namespace invar::analysis
