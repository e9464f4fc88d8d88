// The root gets the blocks of all ranks, each with a count and a place of its own.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_gatherv(Call& c) {
  return MPI_Gatherv(c.send, c.counts[c.rank], c.type, c.recv, c.counts, c.displacements, c.type,
                     c.root, c.comm);
}

}  // namespace

extern constexpr Operation kGatherv{
    .name = "gatherv",
    .summary = "the root gets every block, with counts and displacements",
    .rooted = true,
    .arrays = Arrays::kCounts,
    .buffers = block_to_root_all,
    .call = call_gatherv,
    .verify = on_root<block_of_every_rank>,
};

}  // namespace invar::ops
