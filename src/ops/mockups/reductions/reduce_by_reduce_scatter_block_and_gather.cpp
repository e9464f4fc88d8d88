// A reduce as a reduce_scatter_block of the vector, padded, whose shares the root gathers (paper
// 003, GL14).
#include "ops/mockups/bodies/reduce.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_by_reduce_scatter_block_and_gather(Call& c) {
  return body::reduce_by_reduce_scatter_block_and_gather(
      c.root_input(), c.recv, c.count, elements_of(c), c.reduction, c.root, group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceByReduceScatterBlockAndGather = mockup({
    .of = kPromisedReduce,
    .name = "reduce=reduce_scatter_block+gather",
    .summary = "reduce by reduce_scatter_block and gather of shares",
    .parts = {{{"reduce_scatter_block", PartSize::kShare}, {"gather", PartSize::kShare}}},
    .scratch = on_all_ranks(kPaddedAndShare),
    .counted = kPadded,
    .call = call_reduce_by_reduce_scatter_block_and_gather,
});

}  // namespace invar::ops
