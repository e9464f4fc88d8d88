// Rank r gets the reduction of the vectors of ranks 0 to r.
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_scan(Call& c) {
  return MPI_Scan(c.send, c.recv, c.count, c.type, c.reduction, c.comm);
}

void reduced_up_to(const Call& c, Checker& checker) {
  checker.expect_reduction(0, 0, c.rank, 0, block_elements(c, c.rank));
}

}  // namespace

extern constexpr Operation kScan{
    .name = "scan",
    .summary = "rank r gets the reduction over ranks 0 to r",
    .reduces = true,
    .buffers = block_to_block,
    .call = call_scan,
    .verify = reduced_up_to,
};

}  // namespace invar::ops
