// The operation that runs a reference algorithm: buffers, result and all that MPI promises are
// those of its collective; scratch and limits are the algorithm's.
#pragma once

#include "ops/operation.hpp"
#include "ops/schedules/schedule.hpp"

namespace invar::ops {

// `collective` is the blocking operation that the algorithm names.
Operation scheduled(const Algorithm& algorithm, const Operation& collective,
                    Equipped (*equip)(const Call&));

Equipped equip_with(const Algorithm& algorithm, const Call& call);
template <const Algorithm& algorithm>
Equipped equip_scheduled(const Call& call) {
  return equip_with(algorithm, call);
}

}  // namespace invar::ops
