// A scatter as a bcast of all blocks, of which every rank takes its own (paper 003, GL7).
#include "ops/mockups/bodies/scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_scatter_by_bcast(Call& c) {
  return body::scatter_by_bcast(c.send, c.root_output(), c.count, elements_of(c), c.root,
                                group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kScatterByBcast = mockup({
    .of = kPromisedScatter,
    .name = "scatter=bcast",
    .summary = "scatter by bcast of all blocks",
    .parts = {{{"bcast", PartSize::kAll}}},
    .scratch = {.others = kAllBlocks, .others_in_place = kAllBlocks},
    .counted = kAllBlocks,
    .call = call_scatter_by_bcast,
});

}  // namespace invar::ops
