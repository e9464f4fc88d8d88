// A scatter as several, of consecutive parts of every block.
#include "ops/mockups/splits/part_types.hpp"
#include "ops/mockups/splits/split.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_scatter_in_parts(Call& c) {
  return in_block_parts<kParts>(c, [&](const BlockPart& p) {
    return MPI_Scatter(body::at(c.send, elements_of(c), p.offset), p.of_blocks_count, p.of_blocks,
                       c.root_in_place() ? MPI_IN_PLACE : part_of_recv(c, p.offset), p.count,
                       c.type, c.root, c.comm);
  });
}

}  // namespace

extern constexpr Operation kScatterIn2Parts =
    split(kPromisedScatter, "scatter=2-parts", "scatter as 2 calls on parts of every block", 2,
          call_scatter_in_parts<2>, make_part_types<2>);
extern constexpr Operation kScatterIn4Parts =
    split(kPromisedScatter, "scatter=4-parts", "scatter as 4 calls on parts of every block", 4,
          call_scatter_in_parts<4>, make_part_types<4>);
extern constexpr Operation kScatterIn8Parts =
    split(kPromisedScatter, "scatter=8-parts", "scatter as 8 calls on parts of every block", 8,
          call_scatter_in_parts<8>, make_part_types<8>);

}  // namespace invar::ops
