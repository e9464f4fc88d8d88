// What a rank does that stands by: the levels of the factor `others` but "asleep"
// (docs/measuring.md, "Those that stand by").
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "record/p2p/levels.hpp"

namespace invar::engine {

// Messages of traffic are as long as the cell's, but no longer than this: beyond it they load the
// machine no more, and memory for them would have to be planned.
constexpr std::uint64_t kMostTrafficBytes = std::uint64_t{1} << 20U;

struct StandingBy {
  record::Others others = record::Others::kAsleep;
  MPI_Comm comm = MPI_COMM_NULL;    // Team::others_comm()
  std::optional<int> partner = {};  // in it, for traffic; none: this rank has nobody
  std::uint64_t size_bytes = 0;     // of the cell
  int calls_behind_barrier = 0;     // as arm_barrier() takes them
  bool yields = false;              // ranks share cores: whatever waits gives its core up
  // Whether the visit is; looks after the group, hands on what others wait for, may throw.
  std::function<bool()> over = {};
};

// Begins together with the members, which call arm_barrier() on `comm` behind their canaries, and
// returns soon after the visit is over: then no message and no request of it is left. What over()
// throws goes through, and leaves requests and messages to the end of the process: whoever would
// answer them may be gone, so that `comm` must not be freed then.
void stand_by_doing(const StandingBy& what);

}  // namespace invar::engine
