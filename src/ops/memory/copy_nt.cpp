// Copies one buffer to another around the caches: non-temporal stores, and a fence behind the last.
#include "ops/memory/memory_operation.hpp"

namespace invar::ops {

extern constexpr Operation kCopyNt = memory_operation({
    .name = "copy_nt",
    .summary = "every rank copies a buffer, with stores around the caches",
    .walks = 2,
    .walk = WalkKernel::kCopyNt,
    .buffers = everywhere(kBlock, kBlock),
    .verify = stored_by_visits,
    .missing = kStoresAroundMissing,
});

}  // namespace invar::ops
