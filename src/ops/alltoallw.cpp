// Every rank sends a block of its own to every rank, with counts, displacements in bytes and a
// datatype for each. One array serves both sides, as in alltoallv.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_alltoallw(Call& c) {
  return MPI_Alltoallw(c.send, c.counts, c.byte_displacements, c.types, c.recv, c.counts,
                       c.byte_displacements, c.types, c.comm);
}

}  // namespace

extern constexpr Operation kAlltoallw{
    .name = "alltoallw",
    .summary = "every rank sends a block to every rank, with a datatype each",
    .arrays = Arrays::kTyped,
    .buffers = all_to_all,
    .call = call_alltoallw,
    .verify = my_block_of_every_rank,
};

}  // namespace invar::ops
