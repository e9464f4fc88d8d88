// A gather as a reduce: vectors of zeros but for the own block, joined by bits (paper 003, GL4).
#include "ops/mockups/bodies/gather.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_gather_by_reduce(Call& c) {
  return body::gather_by_reduce(c.root_input(), c.recv, c.count, elements_of(c), c.root,
                                group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kGatherByReduce = mockup({
    .of = kPromisedGather,
    .name = "gather=reduce",
    .summary = "gather by reduce (bits) of all blocks",
    .parts = {{{"reduce", PartSize::kAll}}},
    // Twice on the root for datatypes with gaps.
    .scratch = {.others = kAllBlocks,
                .root = {.per_rank = 2},
                .others_in_place = kAllBlocks,
                .root_in_place = {.per_rank = 2}},
    .counted = kAllBlocks,
    .counts_bytes = true,
    .call = call_gather_by_reduce,
});

}  // namespace invar::ops
