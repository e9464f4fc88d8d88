// Does a call look at its displacements? Blocks that lie one behind the other in the order of the
// ranks are where a library finds them that counts only. The check has them in reverse order as
// well; what is timed has not.
#pragma once

#include "ops/operation.hpp"

namespace invar::ops {

// Whether the operation's call takes displacements: it has arrays, and does not reduce
// (MPI_Reduce_scatter takes counts alone). What emulates another operation may lay out its blocks
// as it likes.
bool takes_displacements(const Operation& operation);

// Fills the buffers as fill_for_check() does, with the blocks where the call's arrays say that they
// are.
void fill_in_layout(const Operation& operation, const Call& call);
// After the call: the blocks are again where verify() expects them, in the order of the ranks.
void put_in_order(const Operation& operation, const Call& call);

}  // namespace invar::ops
