// A reduce_scatter_block as several, each of a part of every block. Datatypes of parts, as other
// splits have them, cannot be reduced: the parts are packed, which makes it a mock-up of its own.
#include "ops/mockups/bodies/reduce_scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

template <int kParts>
int call_reduce_scatter_block_in_packed_parts(Call& c) {
  return body::reduce_scatter_block_in_packed_parts(c.input(), c.recv, c.count, elements_of(c),
                                                    c.reduction, group_of(c), c.scratch, kParts);
}

template <int kParts>
constexpr Operation packed_reduce_scatter_block(const char* name, const char* summary) {
  return mockup({
      .of = kPromisedReduceScatterBlock,
      .name = name,
      .summary = summary,
      .scratch = on_all_ranks(kAllBlocks),
      .call = call_reduce_scatter_block_in_packed_parts<kParts>,
  });
}

}  // namespace

extern constexpr Operation kReduceScatterBlockIn2PackedParts =
    packed_reduce_scatter_block<2>("reduce_scatter_block=2-packed-parts",
                                   "reduce_scatter_block as 2 calls on packed parts of all blocks");
extern constexpr Operation kReduceScatterBlockIn4PackedParts =
    packed_reduce_scatter_block<4>("reduce_scatter_block=4-packed-parts",
                                   "reduce_scatter_block as 4 calls on packed parts of all blocks");
extern constexpr Operation kReduceScatterBlockIn8PackedParts =
    packed_reduce_scatter_block<8>("reduce_scatter_block=8-packed-parts",
                                   "reduce_scatter_block as 8 calls on packed parts of all blocks");

}  // namespace invar::ops
