// Writes a buffer through the caches.
#include "ops/memory/memory_operation.hpp"

namespace invar::ops {

extern constexpr Operation kWrite = memory_operation({
    .name = "write",
    .summary = "every rank writes its buffer",
    .walks = 1,
    .walk = WalkKernel::kWrite,
    .buffers = everywhere(kNothing, kBlock),
    .verify = stored_by_visits,
});

}  // namespace invar::ops
