// MPI_Bcast by other calls.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

// `of_root`: the vector is the root's block, all others are empty.
inline int bcast_by_allgatherv(void* buffer, const Elements& e, const Group& g,
                               const Shares& of_root) {
  return MPI_Allgatherv(MPI_IN_PLACE, 0, e.type, buffer, of_root.counts, of_root.displacements,
                        e.type, g.comm);
}

// `scratch`: a share for every rank, used where the vector has to be padded.
inline int bcast_by_scatter_and_allgather(void* buffer, int count, const Elements& e, int root,
                                          const Group& g, void* scratch) {
  const int share = share_of(count, g.ranks);
  const int padded = share * g.ranks;
  void* const vector = padded == count ? buffer : scratch;
  int error = MPI_SUCCESS;
  if (padded != count && g.rank == root) {
    error = padded_copy(e, buffer, count, scratch, padded, g);
  }
  if (error != MPI_SUCCESS) return error;
  void* const own = g.rank == root ? MPI_IN_PLACE : block(vector, e, g.rank, share);
  error = MPI_Scatter(vector, share, e.type, own, share, e.type, root, g.comm);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Allgather(MPI_IN_PLACE, share, e.type, vector, share, e.type, g.comm);
  if (error != MPI_SUCCESS || padded == count || g.rank == root) return error;
  return copy(e, scratch, buffer, count, g);
}

inline int bcast_by_scatterv_and_allgatherv(void* buffer, const Elements& e, int root,
                                            const Group& g, const Shares& shares) {
  void* const own = g.rank == root
                        ? MPI_IN_PLACE
                        : at(buffer, e, static_cast<std::size_t>(shares.displacements[g.rank]));
  const int error = MPI_Scatterv(buffer, shares.counts, shares.displacements, e.type, own,
                                 shares.counts[g.rank], e.type, root, g.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Allgatherv(MPI_IN_PLACE, shares.counts[g.rank], e.type, buffer, shares.counts,
                        shares.displacements, e.type, g.comm);
}

}  // namespace invar::ops::body
