// What is wrong with the cells of a campaign together, each of which may be right.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

// MPI_COMM_WORLD has all ranks of a launch, in its own order. Of the blocks' cells: all others
// have the ranks of one of them. `block_of_cell`: indices into Campaign::cells.
std::vector<Conflict> world_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                      std::span<const std::size_t> block_of_cell);

// Of all cells, those of presets among them: none that a method can measure its way, more visits
// than anybody waits for, suites that would miss what single ranks take.
std::vector<Conflict> cell_conflicts(const Campaign& campaign, const ResolvedCells& resolved);

}  // namespace invar::design
