// A reduce_scatter_block as a reduce of all blocks to rank 0, which scatters them (paper 003,
// GL15).
#include "ops/mockups/bodies/reduce_scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_block_by_reduce_and_scatter(Call& c) {
  return body::reduce_scatter_block_by_reduce_and_scatter(
      c.input(), c.recv, c.count, elements_of(c), c.reduction, group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceScatterBlockByReduceAndScatter = mockup({
    .of = kPromisedReduceScatterBlock,
    .name = "reduce_scatter_block=reduce+scatter",
    .summary = "reduce_scatter_block by reduce to rank 0, then scatter",
    .parts = {{{"reduce", PartSize::kAll}, {"scatter"}}},
    .scratch = on_the_root(kAllBlocks),
    .counted = kAllBlocks,
    .call = call_reduce_scatter_block_by_reduce_and_scatter,
});

}  // namespace invar::ops
