// An allreduce as a reduce_scatter_block of the vector, padded, whose shares an allgather puts
// together (paper 003, GL13).
#include "ops/mockups/bodies/allreduce.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allreduce_by_reduce_scatter_block_and_allgather(Call& c) {
  return body::allreduce_by_reduce_scatter_block_and_allgather(
      c.input(), c.recv, c.count, elements_of(c), c.reduction, group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kAllreduceByReduceScatterBlockAndAllgather = mockup({
    .of = kPromisedAllreduce,
    .name = "allreduce=reduce_scatter_block+allgather",
    .summary = "allreduce by reduce_scatter_block and allgather of shares",
    .parts = {{{"reduce_scatter_block", PartSize::kShare}, {"allgather", PartSize::kShare}}},
    .scratch = on_all_ranks(kPaddedAndShare),
    .counted = kPadded,
    .call = call_allreduce_by_reduce_scatter_block_and_allgather,
});

}  // namespace invar::ops
