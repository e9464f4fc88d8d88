// What several messages at once move together: a simulator's flows share it (docs/methods.md, "The
// network model").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/network/fit/resamples.hpp"
#include "analysis/network/network_data.hpp"

namespace invar::analysis {

// Made of all visits with the same size, and with the same number of pairs and flows at once.
struct SharedPoint {
  std::uint64_t size_bytes = 0;
  std::size_t pairs = 0;  // that exchange at once
  std::size_t flows = 0;  // SharedObservation::flows
  ModelEstimate gb_s = {};
  std::size_t groups = 0;
};

struct SharedBandwidth {
  std::vector<SharedPoint> points = {};  // by size, then by pairs and flows
  // The most of them, chosen anew in each resample; none: there are no points.
  std::optional<ModelEstimate> most_gb_s = {};
};

// flows x size / time, the geometric mean over launch groups of their visits' median. `resamples`:
// how often groups count; one that is not named counts once.
SharedBandwidth shared_bandwidth(std::span<const SharedObservation> observed,
                                 std::span<const std::vector<GroupWeight>> resamples,
                                 double confidence);

}  // namespace invar::analysis
