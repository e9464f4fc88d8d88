// Every rank sends a block of its own to every rank.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_alltoall(Call& c) {
  return MPI_Alltoall(c.send, c.count, c.type, c.recv, c.count, c.type, c.comm);
}

}  // namespace

extern constexpr Operation kAlltoall{
    .name = "alltoall",
    .summary = "every rank sends a block to every rank",
    .buffers = all_to_all,
    .call = call_alltoall,
    .verify = my_block_of_every_rank,
};

}  // namespace invar::ops
