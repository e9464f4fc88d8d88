// Rank r gets the reduction of the vectors of ranks 0 to r - 1; what rank 0 gets is undefined.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_exscan(Call& c) {
  return MPI_Exscan(c.send, c.recv, c.count, c.type, c.reduction, c.comm);
}

void reduced_below(const Call& c, Checker& checker) {
  const std::uint64_t elements = block_elements(c, c.rank);
  if (c.rank == 0) {
    checker.allow_anything(0, elements);
  } else {
    checker.expect_reduction(0, 0, c.rank - 1, 0, elements);
  }
}

}  // namespace

extern constexpr Operation kExscan{
    .name = "exscan",
    .summary = "rank r gets the reduction over the ranks below r",
    .reduces = true,
    .buffers = block_to_block,
    .call = call_exscan,
    .verify = reduced_below,
};

}  // namespace invar::ops
