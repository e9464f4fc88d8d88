// Collectives by lanes (Traeff and Hunold 2020): every rank of a host has a share of the data, and
// all of them talk to other hosts at once, each with the ranks of its own place there. Every host
// has as many ranks, and they follow one another. A lane's share is rounded up to an element.
#pragma once

#include "ops/mockups/bodies/hosts.hpp"

namespace invar::ops::body {

// Nothing is copied: blocks are received where they belong. Both sides name one type: Intel MPI
// 2021.18 loses blocks where n bytes are sent and one contiguous block of n is received.
inline int allgather_by_lanes(const void* send, void* recv, int count, const Elements& e,
                              const Hosts& h) {
  if (count == 0) return MPI_SUCCESS;
  const int error = MPI_Allgather(send, 1, h.lane_block, block(recv, e, h.host.rank, count), 1,
                                  h.lane_block, h.across.comm);
  if (error != MPI_SUCCESS) return error;
  return MPI_Allgather(MPI_IN_PLACE, 1, h.lane_blocks, recv, 1, h.lane_blocks, h.host.comm);
}

// What the share of a lane is taken from: the vector itself, or where it has to be padded `padded`.
struct LaneVector {
  int share = 0;
  bool padded = false;
};
inline LaneVector lane_vector(int count, const Hosts& h) {
  const int share = share_of(count, h.host.ranks);
  return {share, share * h.host.ranks != count};
}

// The reduction inside the host of this rank's share, into `mine`; `vector` is for padding.
inline int reduce_share_in_host(const void* input, int count, const Elements& e, MPI_Op op,
                                const Hosts& h, const LaneVector& lane, void* mine, void* vector) {
  return reduce_to_equal_shares(input, count, e, op, lane.share, h.host.ranks, h.host.comm, h.all,
                                mine, vector);
}

// `scratch`: a share and the padded vector.
inline int allreduce_by_lanes(const void* send, void* recv, int count, const Elements& e, MPI_Op op,
                              const Hosts& h, void* scratch) {
  const LaneVector lane = lane_vector(count, h);
  void* const vector = at(scratch, e, static_cast<std::size_t>(lane.share));
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  int error = reduce_share_in_host(input, count, e, op, h, lane, scratch, vector);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Allreduce(MPI_IN_PLACE, scratch, lane.share, e.type, op, h.across.comm);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Allgather(scratch, lane.share, e.type, lane.padded ? vector : recv, lane.share,
                        e.type, h.host.comm);
  if (error != MPI_SUCCESS || !lane.padded) return error;
  return copy(e, vector, recv, count, h.all);
}

// `scratch`: the padded vector.
inline int bcast_by_lanes(void* buffer, int count, const Elements& e, int root, const Hosts& h,
                          void* scratch) {
  const LaneVector lane = lane_vector(count, h);
  void* const vector = lane.padded ? scratch : buffer;
  void* const mine = block(vector, e, h.host.rank, lane.share);
  int error = MPI_SUCCESS;
  if (lane.padded && h.all.rank == root) {
    error = padded_copy(e, buffer, count, scratch, lane.share * h.host.ranks, h.all);
  }
  if (error == MPI_SUCCESS && h.beside(root)) {
    error = MPI_Scatter(vector, lane.share, e.type, h.all.rank == root ? MPI_IN_PLACE : mine,
                        lane.share, e.type, h.place_of[root], h.host.comm);
  }
  if (error != MPI_SUCCESS) return error;
  error = MPI_Bcast(mine, lane.share, e.type, h.host_of[root], h.across.comm);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Allgather(MPI_IN_PLACE, lane.share, e.type, vector, lane.share, e.type, h.host.comm);
  if (error != MPI_SUCCESS || !lane.padded || h.all.rank == root) return error;
  return copy(e, scratch, buffer, count, h.all);
}

// `scratch`: the blocks of a lane, on the root's host.
inline int gather_by_lanes(const void* send, void* recv, int count, const Elements& e, int root,
                           const Hosts& h, void* scratch) {
  if (count == 0) return MPI_SUCCESS;
  const void* const own = send == MPI_IN_PLACE ? block(recv, e, h.all.rank, count) : send;
  const int error =
      MPI_Gather(own, count, e.type, scratch, count, e.type, h.host_of[root], h.across.comm);
  if (error != MPI_SUCCESS || !h.beside(root)) return error;
  return MPI_Gather(scratch, count * h.across.ranks, e.type, recv, 1, h.lane_blocks,
                    h.place_of[root], h.host.comm);
}

// `scratch`: two shares and the padded vector.
inline int reduce_by_lanes(const void* send, void* recv, int count, const Elements& e, MPI_Op op,
                           int root, const Hosts& h, void* scratch) {
  const LaneVector lane = lane_vector(count, h);
  void* const of_all = block(scratch, e, 1, lane.share);
  void* const vector = block(scratch, e, 2, lane.share);
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  int error = reduce_share_in_host(input, count, e, op, h, lane, scratch, vector);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Reduce(scratch, of_all, lane.share, e.type, op, h.host_of[root], h.across.comm);
  if (error != MPI_SUCCESS || !h.beside(root)) return error;
  error = MPI_Gather(of_all, lane.share, e.type, lane.padded ? vector : recv, lane.share, e.type,
                     h.place_of[root], h.host.comm);
  if (error != MPI_SUCCESS || !lane.padded || h.all.rank != root) return error;
  return copy(e, vector, recv, count, h.all);
}

// Inside the host every rank gets the blocks of its lane, for which they are brought together
// first. `scratch`: all blocks, and those of a lane.
inline int reduce_scatter_block_by_lanes(const void* send, void* recv, int count, const Elements& e,
                                         MPI_Op op, const Hosts& h, void* scratch) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  void* const mine = block(scratch, e, h.all.ranks, count);
  int error = MPI_SUCCESS;
  for (int rank = 0; rank < h.all.ranks && error == MPI_SUCCESS; ++rank) {
    const int sorted = h.place_of[rank] * h.across.ranks + h.host_of[rank];
    error = copy(e, block(input, e, rank, count), block(scratch, e, sorted, count), count, h.all);
  }
  if (error == MPI_SUCCESS) {
    error =
        MPI_Reduce_scatter_block(scratch, mine, count * h.across.ranks, e.type, op, h.host.comm);
  }
  if (error != MPI_SUCCESS) return error;
  return MPI_Reduce_scatter_block(mine, recv, count, e.type, op, h.across.comm);
}

// What the hosts below give comes by lanes. `scratch`: two shares and the padded vector.
inline int scan_by_lanes(const void* send, void* recv, int count, const Elements& e, MPI_Op op,
                         const Hosts& h, void* scratch) {
  const LaneVector lane = lane_vector(count, h);
  void* const below = block(scratch, e, 1, lane.share);
  void* const vector = block(scratch, e, 2, lane.share);
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  int error = reduce_share_in_host(input, count, e, op, h, lane, scratch, vector);
  if (error == MPI_SUCCESS) {
    error = MPI_Exscan(scratch, below, lane.share, e.type, op, h.across.comm);
  }
  if (error == MPI_SUCCESS && h.number > 0) {
    error = MPI_Allgather(below, lane.share, e.type, vector, lane.share, e.type, h.host.comm);
  }
  if (error == MPI_SUCCESS) error = MPI_Scan(send, recv, count, e.type, op, h.host.comm);
  if (error != MPI_SUCCESS || h.number == 0) return error;
  return MPI_Reduce_local(vector, recv, count, e.type, op);
}

// `scratch`: the blocks of a lane, on the root's host.
inline int scatter_by_lanes(const void* send, void* recv, int count, const Elements& e, int root,
                            const Hosts& h, void* scratch) {
  if (count == 0) return MPI_SUCCESS;
  if (h.beside(root)) {
    const int error = MPI_Scatter(send, 1, h.lane_blocks, scratch, count * h.across.ranks, e.type,
                                  h.place_of[root], h.host.comm);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_Scatter(scratch, count, e.type, recv, count, e.type, h.host_of[root], h.across.comm);
}

}  // namespace invar::ops::body
