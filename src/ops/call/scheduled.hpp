// The operation that runs a reference algorithm: buffers, result and all that MPI promises are
// those of its collective; scratch, phases and limits are the algorithm's.
#pragma once

#include <vector>

#include "ops/operation.hpp"
#include "ops/schedules/schedule.hpp"

namespace invar::ops {

// The operation points into the other members, and stays right where they are moved.
struct Scheduled {
  Operation operation;
  std::vector<Mark> marks = {};  // the end of every phase but the last one
  std::vector<Time> times = {};  // the whole, then the phases
};

// `collective` is the blocking operation that the algorithm names.
Scheduled scheduled(const Algorithm& algorithm, const Operation& collective,
                    Equipped (*equip)(const Call&));

Equipped equip_with(const Algorithm& algorithm, const Call& call);
template <const Algorithm& algorithm>
Equipped equip_scheduled(const Call& call) {
  return equip_with(algorithm, call);
}

}  // namespace invar::ops
