// An allgather as several, of consecutive parts of every block.
#include "ops/mockups/splits/part_types.hpp"
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_allgather_in_parts(Call& c) {
  return in_block_parts<kParts>(c, [&](const BlockPart& p) {
    return MPI_Allgather(part_of_input(c.input(), c, p.offset), p.count, c.type,
                         part_of_recv(c, p.offset), p.of_blocks_count, p.of_blocks, c.comm);
  });
}

}  // namespace

extern constexpr Operation kAllgatherIn2Parts =
    split(kPromisedAllgather, "allgather=2-parts", "allgather as 2 calls on parts of every block",
          2, call_allgather_in_parts<2>, make_part_types<2>);
extern constexpr Operation kAllgatherIn4Parts =
    split(kPromisedAllgather, "allgather=4-parts", "allgather as 4 calls on parts of every block",
          4, call_allgather_in_parts<4>, make_part_types<4>);
extern constexpr Operation kAllgatherIn8Parts =
    split(kPromisedAllgather, "allgather=8-parts", "allgather as 8 calls on parts of every block",
          8, call_allgather_in_parts<8>, make_part_types<8>);

}  // namespace invar::ops
