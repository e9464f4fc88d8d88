// MPI_Scatter by other calls. Only the root may be in place: its block stays in send.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

// `scratch`: all blocks, on the others.
inline int scatter_by_bcast(const void* send, void* recv, int count, const Elements& e, int root,
                            const Group& g, void* scratch) {
  // MPI_Bcast takes what the root sends from where others receive.
  void* const blocks = g.rank == root ? const_cast<void*>(send) : scratch;
  const int error = MPI_Bcast(blocks, count * g.ranks, e.type, root, g.comm);
  if (error != MPI_SUCCESS || recv == MPI_IN_PLACE) return error;
  return copy(e, block(blocks, e, g.rank, count), recv, count, g);
}

// `blocks`: a block of `count` elements for every rank.
inline int scatter_by_scatterv(const void* send, void* recv, int count, const Elements& e, int root,
                               const Group& g, const Shares& blocks) {
  return MPI_Scatterv(send, blocks.counts, blocks.displacements, e.type, recv, count, e.type, root,
                      g.comm);
}

}  // namespace invar::ops::body
