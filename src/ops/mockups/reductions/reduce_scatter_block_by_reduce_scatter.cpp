// A reduce_scatter_block whose counts are all the same.
#include "ops/mockups/bodies/reduce_scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_block_by_reduce_scatter(Call& c) {
  return body::reduce_scatter_block_by_reduce_scatter(c.input(), c.recv, elements_of(c),
                                                      c.reduction, group_of(c), blocks_of(c));
}

}  // namespace

extern constexpr Operation kReduceScatterBlockByReduceScatter = mockup({
    .of = kPromisedReduceScatterBlock,
    .name = "reduce_scatter_block=reduce_scatter",
    .summary = "reduce_scatter_block by reduce_scatter",
    .parts = {{{"reduce_scatter"}}},
    .arrays = Arrays::kCounts,
    .call = call_reduce_scatter_block_by_reduce_scatter,
});

}  // namespace invar::ops
