// MPI_Reduce_scatter_block and MPI_Reduce_scatter by other calls. In place the vector stands in
// recv, and the result at its beginning; what is behind it then is open.
#pragma once

#include "ops/mockups/bodies/reduce.hpp"

namespace invar::ops::body {

// `scratch`: all blocks, on rank 0.
inline int reduce_scatter_block_by_reduce_and_scatter(const void* send, void* recv, int count,
                                                      const Elements& e, MPI_Op op, const Group& g,
                                                      void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  const int error = MPI_Reduce(input, scratch, count * g.ranks, e.type, op, 0, g.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Scatter(scratch, count, e.type, recv, count, e.type, 0, g.comm);
}

// `blocks`: a block of `count` elements for every rank.
inline int reduce_scatter_block_by_reduce_scatter(const void* send, void* recv, const Elements& e,
                                                  MPI_Op op, const Group& g, const Shares& blocks) {
  return MPI_Reduce_scatter(send, recv, blocks.counts, e.type, op, g.comm);
}

// `scratch`: all blocks; in place it is not used.
inline int reduce_scatter_block_by_allreduce(const void* send, void* recv, int count,
                                             const Elements& e, MPI_Op op, const Group& g,
                                             void* scratch) {
  void* const reduced = send == MPI_IN_PLACE ? recv : scratch;
  const int error = MPI_Allreduce(send, reduced, count * g.ranks, e.type, op, g.comm);
  if (error != MPI_SUCCESS || (send == MPI_IN_PLACE && g.rank == 0)) return error;
  return copy(e, block(reduced, e, g.rank, count), recv, count, g);
}

// `scratch`: all blocks.
inline int reduce_scatter_block_by_alltoall_and_reduce_local(const void* send, void* recv,
                                                             int count, const Elements& e,
                                                             MPI_Op op, const Group& g,
                                                             void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  const int error = MPI_Alltoall(input, count, e.type, scratch, count, e.type, g.comm);
  if (error != MPI_SUCCESS) return error;
  return reduce_in_order(scratch, g.ranks, recv, count, e, op, g);
}

// Elements of all blocks together.
inline int all_of(const Shares& blocks, const Group& g) {
  return blocks.displacements[g.ranks - 1] + blocks.counts[g.ranks - 1];
}

// `blocks`: one for every rank, of any length, one behind the other. `scratch`: all of them.
inline int reduce_scatter_by_allreduce(const void* send, void* recv, const Elements& e, MPI_Op op,
                                       const Group& g, const Shares& blocks, void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  const int error = MPI_Allreduce(input, scratch, all_of(blocks, g), e.type, op, g.comm);
  if (error != MPI_SUCCESS) return error;
  return copy(e, at(scratch, e, static_cast<std::size_t>(blocks.displacements[g.rank])), recv,
              blocks.counts[g.rank], g);
}

// As above; `scratch` on rank 0.
inline int reduce_scatter_by_reduce_and_scatterv(const void* send, void* recv, const Elements& e,
                                                 MPI_Op op, const Group& g, const Shares& blocks,
                                                 void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  const int error = MPI_Reduce(input, scratch, all_of(blocks, g), e.type, op, 0, g.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Scatterv(scratch, blocks.counts, blocks.displacements, e.type, recv,
                      blocks.counts[g.rank], e.type, 0, g.comm);
}

}  // namespace invar::ops::body
