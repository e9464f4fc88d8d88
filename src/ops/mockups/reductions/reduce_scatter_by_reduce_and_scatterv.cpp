// A reduce_scatter as a reduce of all blocks to rank 0, which scatters them (paper 003, GL17).
#include "ops/mockups/bodies/reduce_scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_by_reduce_and_scatterv(Call& c) {
  return body::reduce_scatter_by_reduce_and_scatterv(c.input(), c.recv, elements_of(c), c.reduction,
                                                     group_of(c), blocks_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceScatterByReduceAndScatterv = mockup({
    .of = kPromisedReduceScatter,
    .name = "reduce_scatter=reduce+scatterv",
    .summary = "reduce_scatter by reduce to rank 0, then scatterv",
    .parts = {{{"reduce", PartSize::kAll}, {"scatterv"}}},
    .scratch = on_the_root(kAllBlocks),
    .counted = kAllBlocks,
    .call = call_reduce_scatter_by_reduce_and_scatterv,
});

}  // namespace invar::ops
