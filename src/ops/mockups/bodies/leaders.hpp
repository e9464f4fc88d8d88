// Collectives through a leader on each host, its first rank: inside the hosts, among the leaders,
// inside the hosts. Where blocks stand one behind the other, and for operators that do not commute,
// the ranks of each host follow one another.
#pragma once

#include "ops/mockups/bodies/hosts.hpp"

namespace invar::ops::body {

inline int allgather_by_leaders(const void* send, void* recv, int count, const Elements& e,
                                const Hosts& h) {
  const void* own = send;
  if (send == MPI_IN_PLACE && !h.leads()) own = block(recv, e, h.all.rank, count);
  int error = MPI_Gather(own, count, e.type, at(recv, e, h.begin()), count, e.type, 0, h.host.comm);
  if (error == MPI_SUCCESS && h.leads()) {
    error = MPI_Allgatherv(MPI_IN_PLACE, h.blocks.counts[h.number], e.type, recv, h.blocks.counts,
                           h.blocks.displacements, e.type, h.across.comm);
  }
  if (error != MPI_SUCCESS) return error;
  return MPI_Bcast(recv, count * h.all.ranks, e.type, 0, h.host.comm);
}

inline int allreduce_by_leaders(const void* send, void* recv, int count, const Elements& e,
                                MPI_Op op, const Hosts& h) {
  const void* const own = send == MPI_IN_PLACE && !h.leads() ? recv : send;
  int error = MPI_Reduce(own, recv, count, e.type, op, 0, h.host.comm);
  if (error == MPI_SUCCESS && h.leads()) {
    error = MPI_Allreduce(MPI_IN_PLACE, recv, count, e.type, op, h.across.comm);
  }
  if (error != MPI_SUCCESS) return error;
  return MPI_Bcast(recv, count, e.type, 0, h.host.comm);
}

inline int bcast_by_leaders(void* buffer, int count, const Elements& e, int root, const Hosts& h) {
  int error = MPI_SUCCESS;
  if (h.beside(root)) error = MPI_Bcast(buffer, count, e.type, h.place_of[root], h.host.comm);
  if (error == MPI_SUCCESS && h.leads()) {
    error = MPI_Bcast(buffer, count, e.type, h.host_of[root], h.across.comm);
  }
  if (error != MPI_SUCCESS || h.beside(root)) return error;
  return MPI_Bcast(buffer, count, e.type, 0, h.host.comm);
}

// From the leader of the root's host to the root, where that is another rank.
inline int hand_to_root(const void* from, void* recv, int count, const Elements& e, int root,
                        const Hosts& h) {
  const int place = h.place_of[root];
  if (!h.beside(root) || place == 0) return MPI_SUCCESS;
  if (h.leads()) return MPI_Send(from, count, e.type, place, kBodyTag, h.host.comm);
  if (h.all.rank != root) return MPI_SUCCESS;
  return MPI_Recv(recv, count, e.type, 0, kBodyTag, h.host.comm, MPI_STATUS_IGNORE);
}

// `scratch`: all blocks, on leaders other than the root.
inline int gather_by_leaders(const void* send, void* recv, int count, const Elements& e, int root,
                             const Hosts& h, void* scratch) {
  void* const all = h.all.rank == root ? recv : scratch;
  void* const here = h.beside(root) && h.leads() ? at(all, e, h.begin()) : scratch;
  const void* own = send;
  if (send == MPI_IN_PLACE && !h.leads()) own = block(recv, e, h.all.rank, count);
  int error = MPI_Gather(own, count, e.type, here, count, e.type, 0, h.host.comm);
  if (error == MPI_SUCCESS && h.leads()) {
    error = MPI_Gatherv(h.beside(root) ? MPI_IN_PLACE : here, h.blocks.counts[h.number], e.type,
                        all, h.blocks.counts, h.blocks.displacements, e.type, h.host_of[root],
                        h.across.comm);
  }
  if (error != MPI_SUCCESS) return error;
  return hand_to_root(all, recv, count * h.all.ranks, e, root, h);
}

// `scratch`: the vector twice, once on the root.
inline int reduce_by_leaders(const void* send, void* recv, int count, const Elements& e, MPI_Op op,
                             int root, const Hosts& h, void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  void* const result = h.all.rank == root ? recv : block(scratch, e, 1, count);
  int error = MPI_Reduce(input, scratch, count, e.type, op, 0, h.host.comm);
  if (error == MPI_SUCCESS && h.leads()) {
    error = MPI_Reduce(scratch, result, count, e.type, op, h.host_of[root], h.across.comm);
  }
  if (error != MPI_SUCCESS) return error;
  return hand_to_root(result, recv, count, e, root, h);
}

// `scratch`: all blocks, on leaders.
inline int reduce_scatter_block_by_leaders(const void* send, void* recv, int count,
                                           const Elements& e, MPI_Op op, const Hosts& h,
                                           void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  int error = MPI_Reduce(input, scratch, count * h.all.ranks, e.type, op, 0, h.host.comm);
  if (error == MPI_SUCCESS && h.leads()) {
    error = MPI_Reduce_scatter(MPI_IN_PLACE, scratch, h.blocks.counts, e.type, op, h.across.comm);
  }
  if (error != MPI_SUCCESS) return error;
  return MPI_Scatter(scratch, count, e.type, recv, count, e.type, 0, h.host.comm);
}

// The last rank of a host has what the host gives, which its leader needs. `scratch`: the vector
// twice.
inline int scan_by_leaders(const void* send, void* recv, int count, const Elements& e, MPI_Op op,
                           const Hosts& h, void* scratch) {
  const int last = h.host.ranks - 1;
  void* const below = block(scratch, e, 1, count);
  const void* of_host = recv;
  int error = MPI_Scan(send, recv, count, e.type, op, h.host.comm);
  if (error == MPI_SUCCESS && last > 0 && h.host.rank == last) {
    error = MPI_Send(recv, count, e.type, 0, kBodyTag, h.host.comm);
  }
  if (error == MPI_SUCCESS && last > 0 && h.leads()) {
    error = MPI_Recv(scratch, count, e.type, last, kBodyTag, h.host.comm, MPI_STATUS_IGNORE);
    of_host = scratch;
  }
  if (error == MPI_SUCCESS && h.leads()) {
    error = MPI_Exscan(of_host, below, count, e.type, op, h.across.comm);
  }
  if (error != MPI_SUCCESS || h.number == 0) return error;
  error = MPI_Bcast(below, count, e.type, 0, h.host.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Reduce_local(below, recv, count, e.type, op);
}

// `scratch`: all blocks, on leaders other than the root; a block on a root in place that does not
// lead, for the block that it has already.
inline int scatter_by_leaders(const void* send, void* recv, int count, const Elements& e, int root,
                              const Hosts& h, void* scratch) {
  const void* const all = h.all.rank == root ? send : scratch;
  int error = MPI_SUCCESS;
  if (h.beside(root) && h.place_of[root] != 0) {
    const int number = count * h.all.ranks;
    if (h.all.rank == root) error = MPI_Send(send, number, e.type, 0, kBodyTag, h.host.comm);
    if (h.leads()) {
      error = MPI_Recv(scratch, number, e.type, h.place_of[root], kBodyTag, h.host.comm,
                       MPI_STATUS_IGNORE);
    }
  }
  if (error == MPI_SUCCESS && h.leads()) {
    error = MPI_Scatterv(all, h.blocks.counts, h.blocks.displacements, e.type,
                         h.beside(root) ? MPI_IN_PLACE : scratch, h.blocks.counts[h.number], e.type,
                         h.host_of[root], h.across.comm);
  }
  if (error != MPI_SUCCESS) return error;
  const void* const here = h.beside(root) && h.leads() ? at(all, e, h.begin()) : scratch;
  void* const own = recv == MPI_IN_PLACE && !h.leads() ? scratch : recv;
  return MPI_Scatter(here, count, e.type, own, count, e.type, 0, h.host.comm);
}

}  // namespace invar::ops::body
