// A reduce as a gather of all vectors, which the root reduces in the order of the ranks.
#include "ops/mockups/bodies/reduce.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_by_gather_and_reduce_local(Call& c) {
  return body::reduce_by_gather_and_reduce_local(c.root_input(), c.recv, c.count, elements_of(c),
                                                 c.reduction, c.root, group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceByGatherAndReduceLocal = mockup({
    .of = kPromisedReduce,
    .name = "reduce=gather+reduce_local",
    .summary = "reduce by gather, then reduce_local of all vectors on the root",
    .parts = {{{"gather"}, {"reduce_local"}}},
    .scratch = on_the_root(kAllBlocks),
    .call = call_reduce_by_gather_and_reduce_local,
});

}  // namespace invar::ops
