// An allgather as an allreduce: vectors of zeros but for the own block, joined by bits (paper 003,
// GL6).
#include "ops/mockups/bodies/allgather.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allgather_by_allreduce(Call& c) {
  return body::allgather_by_allreduce(c.input(), c.recv, c.count, elements_of(c), group_of(c),
                                      c.scratch);
}

}  // namespace

extern constexpr Operation kAllgatherByAllreduce = mockup({
    .of = kPromisedAllgather,
    .name = "allgather=allreduce",
    .summary = "allgather by allreduce (bits) of all blocks",
    .parts = {{{"allreduce", PartSize::kAll}}},
    // Datatypes with gaps need it.
    .scratch = on_all_ranks(kAllBlocks),
    .counted = kAllBlocks,
    .counts_bytes = true,
    .call = call_allgather_by_allreduce,
});

}  // namespace invar::ops
