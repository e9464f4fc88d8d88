// MPI_Allreduce by other calls.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

inline int allreduce_by_reduce_and_bcast(const void* send, void* recv, int count, const Elements& e,
                                         MPI_Op op, const Group& g) {
  const void* own = send;
  if (send == MPI_IN_PLACE && g.rank != 0) own = recv;
  const int error = MPI_Reduce(own, recv, count, e.type, op, 0, g.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Bcast(recv, count, e.type, 0, g.comm);
}

// `scratch`: a share, and behind it a share for every rank: the vector, padded.
inline int allreduce_by_reduce_scatter_block_and_allgather(const void* send, void* recv, int count,
                                                           const Elements& e, MPI_Op op,
                                                           const Group& g, void* scratch) {
  const int share = share_of(count, g.ranks);
  const int padded = share * g.ranks;
  void* const vector = at(scratch, e, static_cast<std::size_t>(share));
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  int error =
      reduce_to_equal_shares(input, count, e, op, share, g.ranks, g.comm, g, scratch, vector);
  if (error != MPI_SUCCESS) return error;
  void* const result = padded == count ? recv : vector;
  error = MPI_Allgather(scratch, share, e.type, result, share, e.type, g.comm);
  if (error != MPI_SUCCESS || padded == count) return error;
  return copy(e, vector, recv, count, g);
}

// In place `scratch` takes a share, otherwise it is not used.
inline int allreduce_by_reduce_scatter_and_allgatherv(const void* send, void* recv,
                                                      const Elements& e, MPI_Op op, const Group& g,
                                                      const Shares& shares, void* scratch) {
  const int own_count = shares.counts[g.rank];
  const bool in_place = send == MPI_IN_PLACE;
  void* const own =
      in_place ? scratch : at(recv, e, static_cast<std::size_t>(shares.displacements[g.rank]));
  const int error =
      MPI_Reduce_scatter(in_place ? recv : send, own, shares.counts, e.type, op, g.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Allgatherv(in_place ? scratch : MPI_IN_PLACE, own_count, e.type, recv, shares.counts,
                        shares.displacements, e.type, g.comm);
}

}  // namespace invar::ops::body
