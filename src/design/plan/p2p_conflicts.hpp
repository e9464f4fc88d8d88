// What is wrong with cells whose ranks send messages to each other, where it needs more to be known
// than one level (which its factor looks at: record/p2p/message_factors.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

// Of the blocks' cells, before families and presets add others. MPI that is erroneous because
// nothing makes certain that a receive is posted (ready mode); calls that would run ahead of each
// other, or wait for each other; receives that take what is not for them; what nobody is there to
// do; one of two sides where there are no two; buffers of MPI_Bsend beyond any use.
// `block_of_cell`: indices into Campaign::cells.
std::vector<Conflict> message_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                        std::span<const std::size_t> block_of_cell);

// Of all cells, once families are known: computation that is measured in a call's own time, and no
// cell that has that call alone beside it, or none to the end; how, where and with which progress
// is computed, and no cell that computes.
std::vector<Conflict> overlap_conflicts(const Campaign& campaign, const ResolvedCells& resolved);

}  // namespace invar::design
