// The shapes that operations share: how many bytes their buffers need, and what recv must hold.
// Blocks are of call.count elements, or of call.counts[r] at call.displacements[r] in the v-forms.
#pragma once

#include <cstdint>

#include "ops/operation.hpp"
#include "ops/verify.hpp"

namespace invar::ops {

// Elements of the block of a rank (or of a neighbour, by its number), where it begins in the buffer
// of all blocks, and all of that buffer.
std::uint64_t block_elements(const Call& call, int number);
std::uint64_t block_begin(const Call& call, int number);
std::uint64_t all_elements(const Call& call);

// Buffers. A buffer of which MPI says that it is not significant on a rank gets one block there,
// so that writing to it is noticed. In place, send is empty (recv on the root of a scatter), and
// recv holds the input where MPI says.
BufferNeed no_buffers(const Call& call);
BufferNeed block_to_block(const Call& call);
BufferNeed block_to_all(const Call& call);
BufferNeed all_to_block(const Call& call);
BufferNeed all_to_all(const Call& call);
BufferNeed block_to_root_block(const Call& call);  // reduce
BufferNeed block_to_root_all(const Call& call);    // gather
BufferNeed root_all_to_block(const Call& call);    // scatter
BufferNeed block_to_neighbours(const Call& call);
BufferNeed neighbours_to_neighbours(const Call& call);

// Results.
void nothing_received(const Call& call, Checker& checker);
void block_of_every_rank(const Call& call, Checker& checker);          // allgather
void my_block_of_every_rank(const Call& call, Checker& checker);       // alltoall
void my_block_of_root(const Call& call, Checker& checker);             // scatter
void reduced_over_all(const Call& call, Checker& checker);             // allreduce
void my_block_reduced(const Call& call, Checker& checker);             // reduce_scatter
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
