// An allgather as a gather to rank 0, which sends all blocks to all (paper 003, GL11).
#include "ops/mockups/bodies/allgather.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allgather_by_gather_and_bcast(Call& c) {
  return body::allgather_by_gather_and_bcast(c.input(), c.recv, c.count, elements_of(c),
                                             group_of(c));
}

}  // namespace

extern constexpr Operation kAllgatherByGatherAndBcast = mockup({
    .of = kPromisedAllgather,
    .name = "allgather=gather+bcast",
    .summary = "allgather by gather to rank 0, then bcast",
    .parts = {{{"gather"}, {"bcast", PartSize::kAll}}},
    .counted = kAllBlocks,
    .call = call_allgather_by_gather_and_bcast,
});

}  // namespace invar::ops
