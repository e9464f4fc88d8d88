// The reduction of vectors of all blocks; each rank gets a block.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter_block(Call& c) {
  return MPI_Reduce_scatter_block(c.send, c.recv, c.count, c.type, c.reduction, c.comm);
}

}  // namespace

extern constexpr Operation kReduceScatterBlock{
    .name = "reduce_scatter_block",
    .summary = "each rank gets its block of the reduced vector",
    .reduces = true,
    .buffers = all_to_block,
    .call = call_reduce_scatter_block,
    .verify = my_block_reduced,
};

}  // namespace invar::ops
