// Every rank gets the reduction of the vectors of all ranks.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_allreduce(Call& c) {
  return MPI_Allreduce(c.send, c.recv, c.count, c.type, c.reduction, c.comm);
}

}  // namespace

extern constexpr Operation kAllreduce{
    .name = "allreduce",
    .summary = "every rank gets the reduced vector",
    .reduces = true,
    .buffers = block_to_block,
    .call = call_allreduce,
    .verify = reduced_over_all,
};

}  // namespace invar::ops
