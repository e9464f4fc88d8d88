// Every rank gets the blocks of all ranks, in the order of the ranks.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_allgather(Call& c) {
  return MPI_Allgather(c.send, c.count, c.type, c.recv, c.count, c.type, c.comm);
}

}  // namespace

extern constexpr Operation kAllgather{
    .name = "allgather",
    .summary = "every rank gets every block",
    .buffers = block_to_all,
    .call = call_allgather,
    .verify = block_of_every_rank,
};

}  // namespace invar::ops
