// Does a barrier hold ranks back until all have entered?
#pragma once

#include "ops/operation.hpp"
#include "ops/verify.hpp"

namespace invar::ops {

// One rank comes late to `barrier`; whoever shares its clock must not have left before it came.
void check_late(const Call& call, Checker& checker, int late, int (*barrier)(Call&));

// As Operation::verify. The ranks are nearly in step here, because they have just agreed that the
// call returned.
template <int (*barrier)(Call&)>
void nobody_leaves_early(const Call& c, Checker& checker) {
  check_late(c, checker, 0, barrier);
  if (c.ranks > 1) check_late(c, checker, c.ranks - 1, barrier);
}

}  // namespace invar::ops
