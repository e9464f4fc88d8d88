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

// The same on all ranks, but for the error code.
struct Settled {
  std::int64_t calls = 0;
  std::int64_t page_faults = 0;  // in these calls, of the rank that took most
  std::int64_t duration_ns = 0;  // of the calls, on the slowest rank
  bool at_rest = false;          // not a limit ended them
  int error = MPI_SUCCESS;       // MPI's; on all ranks one if any of them had one
};

// Calls the operation until 10 calls in a row took no page fault in the calling thread of any rank
// of `comm`, or a limit is reached; a root that rotates goes on rotating. Collective over `comm`,
// which is that of the call's ranks and not the call's own.
Settled settle(const ops::Operation& operation, ops::Call& call, MPI_Comm comm,
               const SettleLimits& limits = {});

}  // namespace invar::engine
