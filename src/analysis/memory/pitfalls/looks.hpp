// The looks at a memory's data, one for each pitfall, in the order of paper 004's figures 9 to 12.
// Rules: docs/methods.md, "Pitfalls of memory". Each gives a row for whatever it could judge; none:
// nothing could be judged.
#pragma once

#include <vector>

#include "analysis/memory/memory_data.hpp"
#include "analysis/memory/memory_model.hpp"

namespace invar::analysis {

std::vector<WalkPitfall> narrow_elements(const MemoryData& data, const MemoryOptions& options);
std::vector<WalkPitfall> few_passes(const MemoryData& data, const MemoryOptions& options);
std::vector<WalkPitfall> competitors(const MemoryData& data, const MemoryOptions& options);
std::vector<WalkPitfall> pages_of_launches(const MemoryData& data, const MemoryOptions& options);

}  // namespace invar::analysis
