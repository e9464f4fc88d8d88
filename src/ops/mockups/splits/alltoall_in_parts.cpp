// An alltoall as several, of consecutive parts of every block.
#include "ops/mockups/splits/part_types.hpp"
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_alltoall_in_parts(Call& c) {
  return in_block_parts<kParts>(c, [&](const BlockPart& p) {
    return MPI_Alltoall(part_of_input(c.input(), c, p.offset), p.of_blocks_count, p.of_blocks,
                        part_of_recv(c, p.offset), p.of_blocks_count, p.of_blocks, c.comm);
  });
}

}  // namespace

extern constexpr Operation kAlltoallIn2Parts =
    split(kPromisedAlltoall, "alltoall=2-parts", "alltoall as 2 calls on parts of every block", 2,
          call_alltoall_in_parts<2>, make_part_types<2>);
extern constexpr Operation kAlltoallIn4Parts =
    split(kPromisedAlltoall, "alltoall=4-parts", "alltoall as 4 calls on parts of every block", 4,
          call_alltoall_in_parts<4>, make_part_types<4>);
extern constexpr Operation kAlltoallIn8Parts =
    split(kPromisedAlltoall, "alltoall=8-parts", "alltoall as 8 calls on parts of every block", 8,
          call_alltoall_in_parts<8>, make_part_types<8>);

}  // namespace invar::ops
