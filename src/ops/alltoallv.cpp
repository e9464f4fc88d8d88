// Every rank sends a block of its own to every rank, with counts and displacements. One array
// serves both sides: what rank r sends to rank s is as long as what s sends to r.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_alltoallv(Call& c) {
  return MPI_Alltoallv(c.send, c.counts, c.displacements, c.type, c.recv, c.counts, c.displacements,
                       c.type, c.comm);
}

}  // namespace

extern constexpr Operation kAlltoallv{
    .name = "alltoallv",
    .summary = "every rank sends a block to every rank, with counts and displacements",
    .arrays = Arrays::kCounts,
    .buffers = all_to_all,
    .call = call_alltoallv,
    .verify = my_block_of_every_rank,
};

}  // namespace invar::ops
