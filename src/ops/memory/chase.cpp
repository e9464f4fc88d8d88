// Follows chains of pointers: what a dependent load costs.
#include "ops/memory/memory_operation.hpp"

namespace invar::ops {

extern constexpr Operation kChase = memory_operation({
    .name = "chase",
    .summary = "every rank follows chains of pointers through its buffer",
    .walks = 1,
    .walk = WalkKernel::kRead,
    .buffers = with_scratch(everywhere(kNothing, kNothing), kBlock),
    .verify = arrived_in_chains,
    .chases = true,
});

}  // namespace invar::ops
