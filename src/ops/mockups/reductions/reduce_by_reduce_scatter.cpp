// A reduce as a reduce_scatter whose only block is the root's.
#include "ops/mockups/bodies/reduce.hpp"
#include "ops/mockups/mockup.hpp"
#include "ops/mockups/shares.hpp"

namespace invar::ops {
namespace {

int call_reduce_by_reduce_scatter(Call& c) {
  return body::reduce_by_reduce_scatter(c.root_input(), c.recv, c.count, elements_of(c),
                                        c.reduction, group_of(c), share_of_root(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceByReduceScatter = mockup({
    .of = kPromisedReduce,
    .name = "reduce=reduce_scatter",
    .summary = "reduce by reduce_scatter, all blocks but the root's empty",
    .parts = {{{"reduce_scatter", PartSize::kShare}}},
    .scratch = {.root_in_place = kBlock},
    .equip = make_shares_of_roots,
    .call = call_reduce_by_reduce_scatter,
});

}  // namespace invar::ops
