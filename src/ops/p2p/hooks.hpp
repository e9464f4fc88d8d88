// What visits prepare for messages between single ranks, and undo: the hooks of the factors
// `send_mode`, `unexpected`, `pending` and `receives` (engine/launch/factor_hooks.cpp). Each is
// null where the cell's level asks for nothing on this rank. They throw base::CommandError where
// MPI returns an error.
#pragma once

#include <memory>

#include "ops/call/hook.hpp"

namespace invar::ops {

// Attaches a buffer for MPI_Bsend during the visit, and empties it behind every repetition.
std::unique_ptr<Hook> make_attached_buffer(const record::Cell& cell, Call& call);
// Before the visit every sender sends so many empty messages to each of its receivers, which have
// them in their queue of unexpected messages when this returns, and receive them behind the visit.
std::unique_ptr<Hook> make_unexpected(const record::Cell& cell, Call& call);
// Posts receives that nothing matches, on ranks that receive: so many from each of their senders,
// or so many from anybody.
std::unique_ptr<Hook> make_pending(const record::Cell& cell, Call& call);
// Posts the receives of the next call before it is synchronised, and sets Peers::posted. Those that
// no call used are cancelled and waited for in the end, but not while an error unwinds.
std::unique_ptr<Hook> make_posted_receives(const record::Cell& cell, Call& call);

}  // namespace invar::ops
