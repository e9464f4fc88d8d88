// The root sends a block to every rank, each with a count and a place of its own.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_scatterv(Call& c) {
  return MPI_Scatterv(c.send, c.counts, c.displacements, c.type, c.recv, c.counts[c.rank], c.type,
                      c.root, c.comm);
}

}  // namespace

extern constexpr Operation kScatterv{
    .name = "scatterv",
    .summary = "the root sends a block to every rank, with counts and displacements",
    .rooted = true,
    .arrays = Arrays::kCounts,
    .buffers = root_all_to_block,
    .call = call_scatterv,
    .verify = my_block_of_root,
};

}  // namespace invar::ops
