// What a memory's knees are, and what bounds its numbers.
#pragma once

#include <vector>

#include "analysis/memory/memory_model.hpp"

namespace invar::analysis {

// Names plateaus and knees, and fills in MemoryModel::caches, with a warning for each
// contradiction. A knee is a translation buffer's where the same walk over huge pages has none in
// its region; a cache's where a told size is within a factor of 16, nearest first and in their
// order.
void name_causes(const MemoryData& data, MemoryModel& model);

// Ports x width x clock; lines in flight = bandwidth x latency / line; totals by ranks.
std::vector<MemoryLimit> memory_limits(const MemoryData& data, const MemoryModel& model);

}  // namespace invar::analysis
