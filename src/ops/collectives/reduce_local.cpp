// Every rank reduces two vectors of its own into the second; no rank talks to another.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_reduce_local(Call& c) {
  return MPI_Reduce_local(c.send, c.recv, c.count, c.type, c.reduction);
}

// recv holds the pattern of the next rank before the call (fill_for_check).
void reduced_with_next(const Call& c, Checker& checker) {
  checker.expect_reduction(0, c.rank, c.rank + 1, 0, block_elements(c, c.rank));
}

int call_reduce_local_c(Call& c) {
  return INVAR_LARGE(c, Reduce_local, c.send, c.recv, c.large_count, c.type, c.reduction);
}

}  // namespace

extern constexpr Operation kReduceLocal{
    .name = "reduce_local",
    .summary = "each rank reduces two local vectors",
    .reduces = true,
    .reads_recv = true,
    .chain = record::Chain::kNone,
    .buffers = kBlockToBlock,
    .call = call_reduce_local,
    .verify = reduced_with_next,
};
extern constexpr Operation kReduceLocalLarge =
    large_counts(kReduceLocal, "reduce_local_c", call_reduce_local_c);

}  // namespace invar::ops
