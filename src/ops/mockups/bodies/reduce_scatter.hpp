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

// Part `part` of a block of `count` elements.
struct BlockRange {
  int begin = 0;
  int count = 0;
};
inline BlockRange part_of_block(int count, int part, int parts) {
  const int length = share_of(count, parts);
  const long long begin = std::min<long long>(static_cast<long long>(length) * part, count);
  return {static_cast<int>(begin), std::min(length, count - static_cast<int>(begin))};
}

// As `parts` calls or fewer, each on a part of every block: the parts that make a call's vector are
// not consecutive, and so are packed one behind the other. `scratch`: all blocks.
inline int reduce_scatter_block_in_packed_parts(const void* send, void* recv, int count,
                                                const Elements& e, MPI_Op op, const Group& g,
                                                void* scratch, int parts) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  std::byte* packed = at(scratch, e, 0);
  for (int part = 0; part < parts; ++part) {
    const auto [begin, own] = part_of_block(count, part, parts);
    // The first parts are the longest ones.
    if (own == 0) break;
    const auto offset = static_cast<std::size_t>(begin);
    for (int rank = 0; rank < g.ranks; ++rank) {
      const int error =
          copy(e, at(block(input, e, rank, count), e, offset), block(packed, e, rank, own), own, g);
      if (error != MPI_SUCCESS) return error;
    }
    // In place the result stands where the first block's part has just been packed from.
    const int error =
        MPI_Reduce_scatter_block(packed, at(recv, e, offset), own, e.type, op, g.comm);
    if (error != MPI_SUCCESS) return error;
    packed = block(packed, e, g.ranks, own);
  }
  return MPI_SUCCESS;
}

// As above, of blocks of any length. `part_counts`: room for a count of every rank.
inline int reduce_scatter_in_packed_parts(const void* send, void* recv, const Elements& e,
                                          MPI_Op op, const Group& g, const Shares& blocks,
                                          void* scratch, int* part_counts, int parts) {
  const void* const input = send == MPI_IN_PLACE ? recv : send;
  // All of them before the first call: in place its result may stand where a shorter block of
  // another rank's has parts that come later.
  std::byte* packed = at(scratch, e, 0);
  for (int part = 0; part < parts; ++part) {
    for (int rank = 0; rank < g.ranks; ++rank) {
      const BlockRange range = part_of_block(blocks.counts[rank], part, parts);
      const int begin = blocks.displacements[rank] + range.begin;
      const int error =
          copy(e, at(input, e, static_cast<std::size_t>(begin)), packed, range.count, g);
      if (error != MPI_SUCCESS) return error;
      packed = at(packed, e, static_cast<std::size_t>(range.count));
    }
  }
  packed = at(scratch, e, 0);
  for (int part = 0; part < parts; ++part) {
    std::size_t all = 0;
    for (int rank = 0; rank < g.ranks; ++rank) {
      part_counts[rank] = part_of_block(blocks.counts[rank], part, parts).count;
      all += static_cast<std::size_t>(part_counts[rank]);
    }
    // The first parts are the longest ones.
    if (all == 0) break;
    const int begin = part_of_block(blocks.counts[g.rank], part, parts).begin;
    const int error = MPI_Reduce_scatter(packed, at(recv, e, static_cast<std::size_t>(begin)),
                                         part_counts, e.type, op, g.comm);
    if (error != MPI_SUCCESS) return error;
    packed = at(packed, e, all);
  }
  return MPI_SUCCESS;
}

}  // namespace invar::ops::body
