// The root gets the blocks of all ranks, in the order of the ranks.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_gather(Call& c) {
  return MPI_Gather(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm);
}

}  // namespace

extern constexpr Operation kGather{
    .name = "gather",
    .summary = "the root gets every block",
    .rooted = true,
    .buffers = block_to_root_all,
    .call = call_gather,
    .verify = on_root<block_of_every_rank>,
};

}  // namespace invar::ops
