// Network models as tidy tables (docs/formats.md, "`invar network --format json`").
#pragma once

#include <vector>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/network/network.hpp"

namespace invar::analysis {

// "parameters" first: what --format csv prints; then "thresholds", "pieces", "costs", "shared",
// "held_out", "detectors", "plogp", "stretches" and "points".
std::vector<TidyTable> network_tables(const Network& found);

// "0.0512 ns/B" and "[0.0498, 0.0531]"; of a time as every other. "0, on its bound", and "at most
// 0.097 us" where that alone is known; empty: nothing is.
std::string parameter_text(const Parameter& parameter);

// "up to 4040 B", "from 4041 B on", "4041 B to 64 KiB", of sizes from `least` to `most`.
std::string range_text(const ByteRange& sizes, const ByteRange& all);

// All sizes of the model's round trips.
ByteRange measured_sizes(const NetworkModel& model);

}  // namespace invar::analysis
