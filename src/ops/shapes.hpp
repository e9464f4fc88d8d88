// The shapes that operations share: how many bytes their buffers need, and what recv must hold.
// Blocks are of call.large_count elements, or in the v-forms as long as call.lengths says.
#pragma once

#include <cstdint>

#include "ops/operation.hpp"
#include "ops/verify.hpp"

namespace invar::ops {

// Elements of the block of a rank, where it begins in the buffer of the blocks of all ranks, and
// all of that buffer.
std::uint64_t block_elements(const Call& call, int rank);
std::uint64_t block_begin(const Call& call, int rank);
std::uint64_t all_elements(const Call& call);

// What this rank's buffers need for the call.
BufferNeed buffer_need(const Operation& operation, const Call& call);

inline constexpr record::Blocks kNothing{};
inline constexpr record::Blocks kBlock{.constant = 1};
inline constexpr record::Blocks kAllBlocks{.per_rank = 1};
inline constexpr record::Blocks kNeighbourBlocks{.per_neighbour = 1};
inline constexpr record::Blocks kMessageBlocks{.per_message = 1};
inline constexpr record::Blocks kPackedBlocks{.per_packed = 2};

// Every rank has the same; in place recv is the only buffer, and `input` says what of it is read.
constexpr Shape everywhere(record::Blocks send, record::Blocks recv,
                           Input input = Input::kNowhere) {
  const record::Buffers plain{.send = send, .recv = recv};
  const record::Buffers in_place{.recv = recv};
  return {.lengths = {.others = plain,
                      .root = plain,
                      .others_in_place = in_place,
                      .root_in_place = in_place},
          .others_input = input,
          .root_input = input};
}

// A buffer of which MPI says that it is not significant on a rank gets one block there, so that
// writing to it is noticed; only the root is in place.
constexpr Shape at_root(record::Buffers root, record::Buffers root_in_place, Input input) {
  const record::Buffers block{.send = kBlock, .recv = kBlock};
  return {.lengths = {.others = block,
                      .root = root,
                      .others_in_place = block,
                      .root_in_place = root_in_place},
          .root_input = input};
}

constexpr Shape with_scratch(Shape shape, record::Blocks scratch) {
  for (record::Buffers* buffers : {&shape.lengths.others, &shape.lengths.root,
                                   &shape.lengths.others_in_place, &shape.lengths.root_in_place}) {
    buffers->scratch = scratch;
  }
  return shape;
}

inline constexpr Shape kNoBuffers{};
inline constexpr Shape kBlockToBlock = everywhere(kBlock, kBlock, Input::kAll);
inline constexpr Shape kBlockToAll = everywhere(kBlock, kAllBlocks, Input::kOwnBlock);
inline constexpr Shape kAllToAll = everywhere(kAllBlocks, kAllBlocks, Input::kAll);
// In place the vector stands where the block of the result will begin.
inline constexpr Shape kAllToBlock = [] {
  Shape shape = everywhere(kAllBlocks, kBlock, Input::kAll);
  shape.lengths.others_in_place.recv = shape.lengths.root_in_place.recv = kAllBlocks;
  return shape;
}();
inline constexpr Shape kBlockToRootBlock =  // reduce
    at_root({.send = kBlock, .recv = kBlock}, {.recv = kBlock}, Input::kAll);
inline constexpr Shape kBlockToRootAll =  // gather
    at_root({.send = kBlock, .recv = kAllBlocks}, {.recv = kAllBlocks}, Input::kOwnBlock);
inline constexpr Shape kRootAllToBlock =  // scatter: the root's block stays in send
    at_root({.send = kAllBlocks, .recv = kBlock}, {.send = kAllBlocks}, Input::kNowhere);
inline constexpr Shape kBlockToNeighbours = everywhere(kBlock, kNeighbourBlocks);
inline constexpr Shape kNeighboursToNeighbours = everywhere(kNeighbourBlocks, kNeighbourBlocks);
// A slot for every message, on either side, and room for those that are packed: what comes in while
// what goes out is still there.
inline constexpr Shape kMessagesToMessages =
    with_scratch(everywhere(kMessageBlocks, kMessageBlocks), kPackedBlocks);

// Results.
void nothing_received(const Call& call, Checker& checker);
void block_of_every_rank(const Call& call, Checker& checker);          // allgather
void my_block_of_every_rank(const Call& call, Checker& checker);       // alltoall
void my_block_of_root(const Call& call, Checker& checker);             // scatter
void reduced_over_all(const Call& call, Checker& checker);             // allreduce
void my_block_reduced(const Call& call, Checker& checker);             // reduce_scatter
void root_to_others(const Call& call, Checker& checker);               // bcast
void reduced_up_to(const Call& call, Checker& checker);                // scan
void reduced_below(const Call& call, Checker& checker);                // exscan
void block_of_every_neighbour(const Call& call, Checker& checker);     // neighbor_allgather
void my_block_of_every_neighbour(const Call& call, Checker& checker);  // neighbor_alltoall
// On the root what `result` states, elsewhere recv untouched.
template <void (*result)(const Call&, Checker&)>
void on_root(const Call& call, Checker& checker) {
  if (call.rank == call.root) {
    result(call, checker);
  } else {
    checker.expect_untouched(0, block_elements(call, call.rank));
  }
}

}  // namespace invar::ops
