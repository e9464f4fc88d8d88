// The reduction of vectors of all blocks; each rank gets a block.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_block(Call& c) {
  return MPI_Reduce_scatter_block(c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int start_ireduce_scatter_block(Call& c) {
  return MPI_Ireduce_scatter_block(c.input(), c.recv, c.count, c.type, c.reduction, c.comm,
                                   c.requests);
}

int prepare_reduce_scatter_block(Call& c) {
  return INVAR_INIT(c, Reduce_scatter_block, c.input(), c.recv, c.count, c.type, c.reduction,
                    c.comm);
}

int call_reduce_scatter_block_c(Call& c) {
  return INVAR_LARGE(c, Reduce_scatter_block, c.input(), c.recv, c.large_count, c.type, c.reduction,
                     c.comm);
}

}  // namespace

extern constexpr Operation kReduceScatterBlock{
    .name = "reduce_scatter_block",
    .summary = "each rank gets its block of the reduced vector",
    .reduces = true,
    .in_place = true,
    .buffers = kAllToBlock,
    .call = call_reduce_scatter_block,
    .verify = my_block_reduced,
};
extern constexpr Operation kIreduceScatterBlock =
    nonblocking<start_ireduce_scatter_block>(kReduceScatterBlock, "ireduce_scatter_block");
extern constexpr Operation kReduceScatterBlockInit =
    persistent(kReduceScatterBlock, "reduce_scatter_block_init", prepare_reduce_scatter_block);
extern constexpr Operation kReduceScatterBlockLarge =
    large_counts(kReduceScatterBlock, "reduce_scatter_block_c", call_reduce_scatter_block_c);

}  // namespace invar::ops
