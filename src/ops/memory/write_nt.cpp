// Writes a buffer around the caches: non-temporal stores, and a fence behind the last of them.
#include "ops/memory/memory_operation.hpp"

namespace invar::ops {

extern constexpr Operation kWriteNt = memory_operation({
    .name = "write_nt",
    .summary = "every rank writes its buffer around the caches",
    .walks = 1,
    .walk = WalkKernel::kWriteNt,
    .buffers = everywhere(kNothing, kBlock),
    .verify = stored_by_visits,
    .missing = kStoresAroundMissing,
});

}  // namespace invar::ops
