// What visits prepare for messages between single ranks, and undo: the hooks of the factors
// `send_mode`, `unexpected`, `pending` and `receives` (engine/launch/factor_hooks.cpp). Each is
// null where the cell's level asks for nothing.
#pragma once

#include <memory>

#include "ops/call/hook.hpp"

namespace invar::ops {

// Attaches a buffer for MPI_Bsend during the visit.
std::unique_ptr<Hook> make_attached_buffer(const record::Cell& cell, Call& call);
// Sends what nobody receives before the visit is over.
std::unique_ptr<Hook> make_unexpected(const record::Cell& cell, Call& call);
// Posts receives that nothing matches.
std::unique_ptr<Hook> make_pending(const record::Cell& cell, Call& call);
// Posts the receives of the next call before it is synchronised, and sets Peers::posted. One that
// was not used is cancelled and waited for in the end, but not while an error unwinds.
std::unique_ptr<Hook> make_posted_receives(const record::Cell& cell, Call& call);

}  // namespace invar::ops
