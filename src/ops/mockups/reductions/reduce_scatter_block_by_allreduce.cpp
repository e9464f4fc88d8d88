// A reduce_scatter_block as an allreduce of all blocks, of which every rank takes its own (paper
// 003, GL9).
#include "ops/mockups/bodies/reduce_scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_block_by_allreduce(Call& c) {
  return body::reduce_scatter_block_by_allreduce(c.input(), c.recv, c.count, elements_of(c),
                                                 c.reduction, group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceScatterBlockByAllreduce = mockup({
    .of = kPromisedReduceScatterBlock,
    .name = "reduce_scatter_block=allreduce",
    .summary = "reduce_scatter_block by allreduce of all blocks",
    .parts = {{{"allreduce", PartSize::kAll}}},
    .scratch = {.others = kAllBlocks, .root = kAllBlocks},
    .counted = kAllBlocks,
    .call = call_reduce_scatter_block_by_allreduce,
});

}  // namespace invar::ops
