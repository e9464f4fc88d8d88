// MPI_Gather by other calls. Only the root may be in place, and recv is the root's alone.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

// `scratch`: all blocks on the others; a block on a root in place, because MPI_Allgather is in
// place everywhere or nowhere.
inline int gather_by_allgather(const void* send, void* recv, int count, const Elements& e, int root,
                               const Group& g, void* scratch) {
  const void* own = send;
  if (send == MPI_IN_PLACE) {
    const int error = copy(e, block(recv, e, g.rank, count), scratch, count, g);
    if (error != MPI_SUCCESS) return error;
    own = scratch;
  }
  void* const blocks = g.rank == root ? recv : scratch;
  return MPI_Allgather(own, count, e.type, blocks, count, e.type, g.comm);
}

// `blocks`: a block of `count` elements for every rank.
inline int gather_by_gatherv(const void* send, void* recv, int count, const Elements& e, int root,
                             const Group& g, const Shares& blocks) {
  return MPI_Gatherv(send, count, e.type, recv, blocks.counts, blocks.displacements, e.type, root,
                     g.comm);
}

// Every rank has zeros in `scratch` (all blocks; the root has that twice, for datatypes with gaps)
// but in its own block, and all are joined by bits. Not in place on the root: MPICH 4.0.2 reads
// from MPI_IN_PLACE where the root is not rank 0.
inline int gather_by_reduce(const void* send, void* recv, int count, const Elements& e, int root,
                            const Group& g, void* scratch) {
  const std::size_t all_bytes =
      static_cast<std::size_t>(g.ranks) * bytes_of(e, static_cast<std::size_t>(count));
  const bool in_place = send == MPI_IN_PLACE;
  const void* const own = in_place ? block(recv, e, g.rank, count) : send;
  zero(scratch, all_bytes);
  int error = copy(e, own, block(scratch, e, g.rank, count), count, g);
  if (error != MPI_SUCCESS) return error;
  void* const joined = e.gaps ? static_cast<std::byte*>(scratch) + all_bytes : recv;
  error = MPI_Reduce(scratch, g.rank == root ? joined : nullptr, static_cast<int>(all_bytes),
                     MPI_BYTE, MPI_BOR, root, g.comm);
  if (error != MPI_SUCCESS || g.rank != root || !e.gaps) return error;
  return copy_blocks(e, joined, recv, g.ranks, count, g);
}

}  // namespace invar::ops::body
