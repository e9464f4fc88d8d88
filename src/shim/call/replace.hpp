// Serving a call that an entry of the table is about.
#pragma once

#include <optional>

#include "shim/call/asked.hpp"
#include "shim/call/match.hpp"
#include "shim/communicator/communicator.hpp"

namespace invar::shim {

// Does what the collective promises by what the entry of `match` says, on all ranks of the
// communicator alike, and returns MPI's error code; errors have gone to the communicator's error
// handler. Nothing: the call is the library's, on all ranks.
std::optional<int> replaced(Communicator& communicator, const Asked& asked,
                            const Match& match) noexcept;

}  // namespace invar::shim
