// MPI_Allgather by other calls.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

// `blocks`: a block of `count` elements for every rank.
inline int allgather_by_allgatherv(const void* send, void* recv, int count, const Elements& e,
                                   const Group& g, const Shares& blocks) {
  return MPI_Allgatherv(send, count, e.type, recv, blocks.counts, blocks.displacements, e.type,
                        g.comm);
}

// Every rank has zeros but in its own block, and all are joined by bits. Gaps are no data: where
// there are some it happens in `scratch` (all blocks), with zeros in the gaps.
inline int allgather_by_allreduce(const void* send, void* recv, int count, const Elements& e,
                                  const Group& g, void* scratch) {
  const std::size_t block_bytes = bytes_of(e, static_cast<std::size_t>(count));
  const std::size_t before_bytes = static_cast<std::size_t>(g.rank) * block_bytes;
  const std::size_t all_bytes = static_cast<std::size_t>(g.ranks) * block_bytes;
  auto* const vector = static_cast<std::byte*>(e.gaps ? scratch : recv);
  std::byte* const own = block(vector, e, g.rank, count);
  const void* const from = send == MPI_IN_PLACE ? block(recv, e, g.rank, count) : send;
  zero(vector, before_bytes);
  if (e.gaps) zero(own, block_bytes);
  int error = from == own ? MPI_SUCCESS : copy(e, from, own, count, g);
  zero(own + block_bytes, all_bytes - before_bytes - block_bytes);
  if (error == MPI_SUCCESS) {
    error =
        MPI_Allreduce(MPI_IN_PLACE, vector, static_cast<int>(all_bytes), MPI_BYTE, MPI_BOR, g.comm);
  }
  if (error != MPI_SUCCESS || !e.gaps) return error;
  return copy_blocks(e, scratch, recv, g.ranks, count, g);
}

// Every rank sends its block to every rank, for which it stands in `scratch` as often.
inline int allgather_by_alltoall(const void* send, void* recv, int count, const Elements& e,
                                 const Group& g, void* scratch) {
  const void* const own = send == MPI_IN_PLACE ? block(recv, e, g.rank, count) : send;
  int error = MPI_SUCCESS;
  for (int to = 0; to < g.ranks && error == MPI_SUCCESS; ++to) {
    error = copy(e, own, block(scratch, e, to, count), count, g);
  }
  if (error != MPI_SUCCESS) return error;
  return MPI_Alltoall(scratch, count, e.type, recv, count, e.type, g.comm);
}

inline int allgather_by_gather_and_bcast(const void* send, void* recv, int count, const Elements& e,
                                         const Group& g) {
  const void* own = send;
  if (send == MPI_IN_PLACE && g.rank != 0) own = block(recv, e, g.rank, count);
  const int error = MPI_Gather(own, count, e.type, recv, count, e.type, 0, g.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Bcast(recv, count * g.ranks, e.type, 0, g.comm);
}

}  // namespace invar::ops::body
