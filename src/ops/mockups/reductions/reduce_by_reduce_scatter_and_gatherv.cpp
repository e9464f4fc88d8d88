// A reduce as a reduce_scatter of the vector, whose shares the root gathers: nothing is padded.
#include "ops/mockups/bodies/reduce.hpp"
#include "ops/mockups/mockup.hpp"
#include "ops/mockups/shares.hpp"

namespace invar::ops {
namespace {

int call_reduce_by_reduce_scatter_and_gatherv(Call& c) {
  return body::reduce_by_reduce_scatter_and_gatherv(c.root_input(), c.recv, elements_of(c),
                                                    c.reduction, c.root, group_of(c), shares_of(c),
                                                    c.scratch);
}

}  // namespace

extern constexpr Operation kReduceByReduceScatterAndGatherv = mockup({
    .of = kPromisedReduce,
    .name = "reduce=reduce_scatter+gatherv",
    .summary = "reduce by reduce_scatter and gatherv of shares",
    .parts = {{{"reduce_scatter", PartSize::kShare}, {"gatherv", PartSize::kShare}}},
    .scratch = on_all_ranks(kShare),
    .equip = make_shares,
    .call = call_reduce_by_reduce_scatter_and_gatherv,
});

}  // namespace invar::ops
