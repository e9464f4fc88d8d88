// Every rank gets the blocks of all ranks, each with a count and a place of its own.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_allgatherv(Call& c) {
  return MPI_Allgatherv(c.send, c.counts[c.rank], c.type, c.recv, c.counts, c.displacements, c.type,
                        c.comm);
}

}  // namespace

extern constexpr Operation kAllgatherv{
    .name = "allgatherv",
    .summary = "every rank gets every block, with counts and displacements",
    .arrays = Arrays::kCounts,
    .buffers = block_to_all,
    .call = call_allgatherv,
    .verify = block_of_every_rank,
};

}  // namespace invar::ops
