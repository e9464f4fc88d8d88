// STREAM's triad (McCalpin 1995) on integers, which have no slow values: a = b + 2 c.
#include "ops/memory/memory_operation.hpp"

namespace invar::ops {

extern constexpr Operation kTriad = memory_operation({
    .name = "triad",
    .summary = "every rank computes a = b + 2 c over three buffers",
    .walks = 3,
    .walk = WalkKernel::kTriad,
    .buffers = with_scratch(everywhere(kBlock, kBlock), kBlock),
    .verify = stored_by_visits,
});

}  // namespace invar::ops
