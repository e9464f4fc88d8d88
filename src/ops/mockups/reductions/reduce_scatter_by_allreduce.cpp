// A reduce_scatter as an allreduce of all blocks, of which every rank takes its own (paper 003,
// GL9).
#include "ops/mockups/bodies/reduce_scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_by_allreduce(Call& c) {
  return body::reduce_scatter_by_allreduce(c.input(), c.recv, elements_of(c), c.reduction,
                                           group_of(c), blocks_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceScatterByAllreduce = mockup({
    .of = kPromisedReduceScatter,
    .name = "reduce_scatter=allreduce",
    .summary = "reduce_scatter by allreduce of all blocks",
    .parts = {{{"allreduce", PartSize::kAll}}},
    .scratch = on_all_ranks(kAllBlocks),
    .counted = kAllBlocks,
    .call = call_reduce_scatter_by_allreduce,
});

}  // namespace invar::ops
