// What a level of a factor does to walks over memory: times of a named byte beside those of the
// usual level.
#pragma once

#include <vector>

#include "analysis/memory/memory_data.hpp"
#include "analysis/memory/memory_model.hpp"

namespace invar::analysis {

// Of every two series that differ in one factor alone (but ranks, which have their totals), over
// the sizes that both have in the same launch groups. All levels of a place are held against one.
std::vector<WalkEffect> walk_effects(const MemoryData& data, const MemoryOptions& options);

}  // namespace invar::analysis
