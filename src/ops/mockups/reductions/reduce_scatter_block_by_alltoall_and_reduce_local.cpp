// A reduce_scatter_block as an alltoall, whose blocks every rank reduces in the order of the ranks.
#include "ops/mockups/bodies/reduce_scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_block_by_alltoall_and_reduce_local(Call& c) {
  return body::reduce_scatter_block_by_alltoall_and_reduce_local(
      c.input(), c.recv, c.count, elements_of(c), c.reduction, group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceScatterBlockByAlltoallAndReduceLocal = mockup({
    .of = kPromisedReduceScatterBlock,
    .name = "reduce_scatter_block=alltoall+reduce_local",
    .summary = "reduce_scatter_block by alltoall, then reduce_local of all blocks",
    .parts = {{{"alltoall"}, {"reduce_local"}}},
    .scratch = on_all_ranks(kAllBlocks),
    .call = call_reduce_scatter_block_by_alltoall_and_reduce_local,
});

}  // namespace invar::ops
