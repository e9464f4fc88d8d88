// What is wrong with cells whose ranks send messages to each other, where it needs more to be known
// than one level (which its factor looks at: record/p2p/message_factors.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

// Looks at the blocks' cells, before families and presets add others. These are conflicts: MPI that
// is erroneous because nothing makes certain that a receive is posted (ready mode); calls that
// would run ahead of each other, or wait for each other; receives that take what is not for them;
// what nobody is there to do; one of two sides where there are no two; buffers of MPI_Bsend beyond
// any use. `block_of_cell`: indices into Campaign::cells.
std::vector<Conflict> message_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                        std::span<const std::size_t> block_of_cell);

// Looks at all cells, once families are known. These are conflicts: computation in times of a call
// where no cell beside it has that call alone, or none is measured to the end; levels that say how,
// where and with which progress is computed, where no cell computes.
std::vector<Conflict> overlap_conflicts(const Campaign& campaign, const ResolvedCells& resolved);

}  // namespace invar::design
