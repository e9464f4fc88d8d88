// The triad whose stores go around the caches (non-temporal), with a fence behind the last of them.
#include "ops/memory/memory_operation.hpp"

namespace invar::ops {

extern constexpr Operation kTriadNt = memory_operation({
    .name = "triad_nt",
    .summary = "every rank computes a = b + 2 c over three buffers, with stores around the caches",
    .walks = 3,
    .walk = WalkKernel::kTriadNt,
    .buffers = with_scratch(everywhere(kBlock, kBlock), kBlock),
    .verify = stored_by_visits,
    .missing = kStoresAroundMissing,
});

}  // namespace invar::ops
