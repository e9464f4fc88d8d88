// A gather as several, of consecutive parts of every block.
#include "ops/mockups/splits/part_types.hpp"
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_gather_in_parts(Call& c) {
  return in_block_parts<kParts>(c, [&](const BlockPart& p) {
    return MPI_Gather(part_of_input(c.root_input(), c, p.offset), p.count, c.type,
                      part_of_recv(c, p.offset), p.of_blocks_count, p.of_blocks, c.root, c.comm);
  });
}

}  // namespace

extern constexpr Operation kGatherIn2Parts =
    split(kPromisedGather, "gather=2-parts", "gather as 2 calls on parts of every block", 2,
          call_gather_in_parts<2>, make_part_types<2>);
extern constexpr Operation kGatherIn4Parts =
    split(kPromisedGather, "gather=4-parts", "gather as 4 calls on parts of every block", 4,
          call_gather_in_parts<4>, make_part_types<4>);
extern constexpr Operation kGatherIn8Parts =
    split(kPromisedGather, "gather=8-parts", "gather as 8 calls on parts of every block", 8,
          call_gather_in_parts<8>, make_part_types<8>);

}  // namespace invar::ops
