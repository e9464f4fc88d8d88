// What is wrong with cells whose operations walk over memory of their own, where it needs more to
// be known than one level (which its factor looks at: record/memory/levels.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

// Of the blocks' cells, before families and presets add others. Elements beyond the buffer's end,
// elements that overlap, chains without an element, a distance between elements that an order has
// already; real-time policies where two ranks may come to share a core, which would spin for ever;
// simulated ranks, whose machine has no memory. `block_of_cell`: indices into Campaign::cells.
std::vector<Conflict> memory_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                       std::span<const std::size_t> block_of_cell);

}  // namespace invar::design
