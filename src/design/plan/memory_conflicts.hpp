// What is wrong with cells of operations on memory, where it needs more to be known than one level
// and those before it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

// Looks at the blocks' cells, before families and presets add others. These are conflicts: what
// their factors say once all levels and the size are known (Factor::check: strides beyond the
// buffer, elements that overlap, chains without lines); real-time policies where two ranks may come
// to share a core, which would spin for ever; simulated ranks, whose machine has no memory.
// `block_of_cell`: indices into Campaign::cells.
std::vector<Conflict> memory_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                       std::span<const std::size_t> block_of_cell);

}  // namespace invar::design
