// What is wrong with the cells of a campaign together, each of which may be right.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

// MPI_COMM_WORLD has all ranks of a launch, in its own order. Looks at the blocks' cells alone: all
// others have the ranks of one of them. `block_of_cell`: indices into Campaign::cells.
std::vector<Conflict> world_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                      std::span<const std::size_t> block_of_cell);

// Looks at all cells, those of presets among them. It is a conflict if a method or a preset can
// measure none of them its way, if there are more visits than anybody waits for, or if suites would
// miss what single ranks take.
std::vector<Conflict> cell_conflicts(const Campaign& campaign, const ResolvedCells& resolved);

}  // namespace invar::design
