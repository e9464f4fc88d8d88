// Reads a buffer: the sum of all words is what proves it.
#include "ops/memory/memory_operation.hpp"

namespace invar::ops {

extern constexpr Operation kRead = memory_operation({
    .name = "read",
    .summary = "every rank reads its buffer and adds up what it reads",
    .walks = 1,
    .walk = WalkKernel::kRead,
    .buffers = everywhere(kBlock, kNothing),
    .verify = sum_of_visits,
});

}  // namespace invar::ops
