// What a level of a factor does to walks over memory: times of a named byte beside those of the
// usual level.
#pragma once

#include <vector>

#include "analysis/memory/memory_data.hpp"
#include "analysis/memory/memory_model.hpp"

namespace invar::analysis {

// Compares series that differ in one factor alone, over the sizes that both have in the same launch
// groups. All levels of a factor are held against the usual one, or else against the first one that
// was planned. The number of ranks is no such factor: ranks have their totals.
std::vector<WalkEffect> walk_effects(const MemoryData& data, const MemoryOptions& options);

}  // namespace invar::analysis
