// Copies one buffer to another.
#include "ops/memory/memory_operation.hpp"

namespace invar::ops {

extern constexpr Operation kCopy = memory_operation({
    .name = "copy",
    .summary = "every rank copies a buffer, load by load and store by store",
    .walks = 2,
    .walk = WalkKernel::kCopy,
    .buffers = everywhere(kBlock, kBlock),
    .verify = stored_by_visits,
});

}  // namespace invar::ops
