// An allreduce as a reduce_scatter of the vector, whose shares an allgatherv puts together: nothing
// is padded.
#include "ops/mockups/bodies/allreduce.hpp"
#include "ops/mockups/mockup.hpp"
#include "ops/mockups/shares.hpp"

namespace invar::ops {
namespace {

int call_allreduce_by_reduce_scatter_and_allgatherv(Call& c) {
  return body::allreduce_by_reduce_scatter_and_allgatherv(
      c.input(), c.recv, elements_of(c), c.reduction, group_of(c), shares_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kAllreduceByReduceScatterAndAllgatherv = mockup({
    .of = kPromisedAllreduce,
    .name = "allreduce=reduce_scatter+allgatherv",
    .summary = "allreduce by reduce_scatter and allgatherv of shares",
    .parts = {{{"reduce_scatter", PartSize::kShare}, {"allgatherv", PartSize::kShare}}},
    .scratch = in_place_only(kShare),
    .equip = make_shares,
    .call = call_allreduce_by_reduce_scatter_and_allgatherv,
});

}  // namespace invar::ops
