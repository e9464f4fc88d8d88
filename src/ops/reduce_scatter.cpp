// The reduction of vectors of all blocks; each rank gets a block, with a count of its own.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter(Call& c) {
  return MPI_Reduce_scatter(c.send, c.recv, c.counts, c.type, c.reduction, c.comm);
}

}  // namespace

extern constexpr Operation kReduceScatter{
    .name = "reduce_scatter",
    .summary = "each rank gets its block of the reduced vector, with counts",
    .reduces = true,
    .arrays = Arrays::kCounts,
    .buffers = all_to_block,
    .call = call_reduce_scatter,
    .verify = my_block_reduced,
};

}  // namespace invar::ops
