// The root sends a block to every rank, in the order of the ranks.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_scatter(Call& c) {
  return MPI_Scatter(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm);
}

}  // namespace

extern constexpr Operation kScatter{
    .name = "scatter",
    .summary = "the root sends a block to every rank",
    .rooted = true,
    .buffers = root_all_to_block,
    .call = call_scatter,
    .verify = my_block_of_root,
};

}  // namespace invar::ops
