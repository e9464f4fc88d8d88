// MPI_Reduce by other calls. Only the root may be in place, and recv is the root's alone. No body
// makes a reduce in place with a root other than rank 0, which crashes MPICH 4.0.2.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

// `scratch`: the vector, on the others for a result that nobody wants, on a root in place for its
// input, because MPI_Allreduce is in place everywhere or nowhere.
inline int reduce_by_allreduce(const void* send, void* recv, int count, const Elements& e,
                               MPI_Op op, int root, const Group& g, void* scratch) {
  const void* own = send;
  if (send == MPI_IN_PLACE) {
    const int error = copy(e, recv, scratch, count, g);
    if (error != MPI_SUCCESS) return error;
    own = scratch;
  }
  return MPI_Allreduce(own, g.rank == root ? recv : scratch, count, e.type, op, g.comm);
}

// `scratch`: a share, and behind it a share for every rank: the vector, padded.
inline int reduce_by_reduce_scatter_block_and_gather(const void* send, void* recv, int count,
                                                     const Elements& e, MPI_Op op, int root,
                                                     const Group& g, void* scratch) {
  const int share = share_of(count, g.ranks);
  const int padded = share * g.ranks;
  void* const vector = at(scratch, e, static_cast<std::size_t>(share));
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  int error =
      reduce_to_equal_shares(input, count, e, op, share, g.ranks, g.comm, g, scratch, vector);
  if (error != MPI_SUCCESS) return error;
  void* const result = padded == count ? recv : vector;
  error = MPI_Gather(scratch, share, e.type, result, share, e.type, root, g.comm);
  if (error != MPI_SUCCESS || padded == count || g.rank != root) return error;
  return copy(e, vector, recv, count, g);
}

// `scratch`: a share.
inline int reduce_by_reduce_scatter_and_gatherv(const void* send, void* recv, const Elements& e,
                                                MPI_Op op, int root, const Group& g,
                                                const Shares& shares, void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  const int error = MPI_Reduce_scatter(input, scratch, shares.counts, e.type, op, g.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Gatherv(scratch, shares.counts[g.rank], e.type, recv, shares.counts,
                     shares.displacements, e.type, root, g.comm);
}

// `of_root`: the whole vector is the root's block. `scratch`: the vector, on a root in place.
inline int reduce_by_reduce_scatter(const void* send, void* recv, int count, const Elements& e,
                                    MPI_Op op, const Group& g, const Shares& of_root,
                                    void* scratch) {
  const void* own = send;
  if (send == MPI_IN_PLACE) {
    const int error = copy(e, recv, scratch, count, g);
    if (error != MPI_SUCCESS) return error;
    own = scratch;
  }
  return MPI_Reduce_scatter(own, recv, of_root.counts, e.type, op, g.comm);
}

// vectors[0] op ... op vectors[last], `count` elements each, into `result`, which is none of them.
// From the last one on, because MPI_Reduce_local puts its first operand on the left.
inline int reduce_in_order(const void* vectors, int number, void* result, int count,
                           const Elements& e, MPI_Op op, const Group& g) {
  int error = copy(e, block(vectors, e, number - 1, count), result, count, g);
  for (int next = number - 2; next >= 0 && error == MPI_SUCCESS; --next) {
    error = MPI_Reduce_local(block(vectors, e, next, count), result, count, e.type, op);
  }
  return error;
}

// `scratch`: the vectors of all ranks, on the root.
inline int reduce_by_gather_and_reduce_local(const void* send, void* recv, int count,
                                             const Elements& e, MPI_Op op, int root, const Group& g,
                                             void* scratch) {
  int error = MPI_SUCCESS;
  if (send == MPI_IN_PLACE) {
    error = copy(e, recv, block(scratch, e, g.rank, count), count, g);
  }
  if (error == MPI_SUCCESS) {
    error = MPI_Gather(send, count, e.type, scratch, count, e.type, root, g.comm);
  }
  if (error != MPI_SUCCESS || g.rank != root) return error;
  return reduce_in_order(scratch, g.ranks, recv, count, e, op, g);
}

}  // namespace invar::ops::body
