// The root gets the reduction of the vectors of all ranks.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_reduce(Call& c) {
  return MPI_Reduce(c.send, c.recv, c.count, c.type, c.reduction, c.root, c.comm);
}

}  // namespace

extern constexpr Operation kReduce{
    .name = "reduce",
    .summary = "the root gets the reduced vector",
    .rooted = true,
    .reduces = true,
    .buffers = block_to_block,
    .call = call_reduce,
    .verify = on_root<reduced_over_all>,
};

}  // namespace invar::ops
