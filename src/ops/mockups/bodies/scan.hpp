// MPI_Scan and MPI_Exscan by other calls.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

// What the ranks below give stands on the left of this rank's vector: MPI_Reduce_local(below, copy
// of send), not the other way round, which is wrong where the operator does not commute.
// `scratch`: the vector.
inline int scan_by_exscan_and_reduce_local(const void* send, void* recv, int count,
                                           const Elements& e, MPI_Op op, const Group& g,
                                           void* scratch) {
  const bool in_place = send == MPI_IN_PLACE;
  int error = MPI_Exscan(in_place ? recv : send, scratch, count, e.type, op, g.comm);
  if (error == MPI_SUCCESS && !in_place) error = copy(e, send, recv, count, g);
  if (error != MPI_SUCCESS || g.rank == 0) return error;
  return MPI_Reduce_local(scratch, recv, count, e.type, op);
}

// The scan of the rank below; taking this rank's own vector out of its scan would need an inverse.
// Rank 0's recv stays as it is. `scratch`: the vector.
inline int exscan_by_scan_and_sendrecv(const void* send, void* recv, int count, const Elements& e,
                                       MPI_Op op, const Group& g, void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  const int error = MPI_Scan(input, scratch, count, e.type, op, g.comm);
  if (error != MPI_SUCCESS) return error;
  const int above = g.rank + 1 < g.ranks ? g.rank + 1 : MPI_PROC_NULL;
  const int below = g.rank > 0 ? g.rank - 1 : MPI_PROC_NULL;
  return MPI_Sendrecv(scratch, count, e.type, above, kBodyTag, recv, count, e.type, below, kBodyTag,
                      g.comm, MPI_STATUS_IGNORE);
}

}  // namespace invar::ops::body
