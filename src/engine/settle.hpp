// Calls before anything is timed, until the library has touched the memory that it works in.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "ops/operation.hpp"

namespace invar::engine {

struct SettleLimits {
  std::int64_t calls = 1000;
  std::int64_t duration_ns = 20'000'000;
};

// Calls the operation until 10 calls in a row took no page fault in the calling thread of any rank
// of `comm`, or a limit is reached; a root that rotates goes on rotating. Returns MPI's error code,
// on all ranks one if any of them had one. Collective over `comm`, which is that of the call's
// ranks and not the call's own.
int settle(const ops::Operation& operation, ops::Call& call, MPI_Comm comm,
           const SettleLimits& limits = {});

}  // namespace invar::engine
