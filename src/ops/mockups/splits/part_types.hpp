// Parts of all blocks of a buffer: one call on them puts each part into its block, where it would
// stand after a single call.
#pragma once

#include <cstddef>

#include "ops/operation.hpp"

namespace invar::ops {

// The part of a block that one of the calls is about.
struct BlockPart {
  std::size_t offset = 0;  // elements, in the block
  int count = 0;           // elements
  // Elements `offset` and on of a block are one of these, the next block's are another one behind.
  MPI_Datatype of_blocks = MPI_DATATYPE_NULL;
  int of_blocks_count = 0;  // 1; 0 of an empty part
};

// Types for calls in so many parts.
template <int kParts>
Equipped make_part_types(const Call& call);
extern template Equipped make_part_types<2>(const Call& call);
extern template Equipped make_part_types<4>(const Call& call);
extern template Equipped make_part_types<8>(const Call& call);

BlockPart block_part(const Call& call, int part);

// call(BlockPart) of each. Returns the first error code.
template <int kParts, typename CallPart>
int in_block_parts(const Call& c, CallPart call) {
  for (int part = 0; part < kParts; ++part) {
    const int error = call(block_part(c, part));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace invar::ops
