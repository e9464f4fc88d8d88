// MPI_Alltoall by other calls.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

// `blocks`: a block of `count` elements for every rank, of what is sent and of what is received. A
// program may have one null pointer for both where nothing is sent, of which MPICH complains.
inline int alltoall_by_alltoallv(const void* send, void* recv, const Elements& e, const Group& g,
                                 const Shares& blocks) {
  if (blocks.counts[0] == 0) return MPI_SUCCESS;
  return MPI_Alltoallv(send, blocks.counts, blocks.displacements, e.type, recv, blocks.counts,
                       blocks.displacements, e.type, g.comm);
}

// In step i with the ranks i further on and i further back. In place what is sent is taken from
// `scratch` (all blocks), where it has been copied to.
inline int alltoall_by_sendrecv(const void* send, void* recv, int count, const Elements& e,
                                const Group& g, void* scratch) {
  const void* from = send;
  int error = MPI_SUCCESS;
  if (send == MPI_IN_PLACE) {
    error = copy_blocks(e, recv, scratch, g.ranks, count, g);
    from = scratch;
  } else {
    error = copy(e, block(send, e, g.rank, count), block(recv, e, g.rank, count), count, g);
  }
  for (int step = 1; step < g.ranks && error == MPI_SUCCESS; ++step) {
    const int to = g.rank + step < g.ranks ? g.rank + step : g.rank + step - g.ranks;
    const int source = g.rank >= step ? g.rank - step : g.rank - step + g.ranks;
    error = MPI_Sendrecv(block(from, e, to, count), count, e.type, to, kBodyTag,
                         block(recv, e, source, count), count, e.type, source, kBodyTag, g.comm,
                         MPI_STATUS_IGNORE);
  }
  return error;
}

}  // namespace invar::ops::body
