// A reduce as an allreduce, whose result only the root wants (paper 003, GL8).
#include "ops/mockups/bodies/reduce.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_by_allreduce(Call& c) {
  return body::reduce_by_allreduce(c.root_input(), c.recv, c.count, elements_of(c), c.reduction,
                                   c.root, group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceByAllreduce = mockup({
    .of = kPromisedReduce,
    .name = "reduce=allreduce",
    .summary = "reduce by allreduce",
    .parts = {{{"allreduce"}}},
    .scratch = {.others = kBlock, .others_in_place = kBlock, .root_in_place = kBlock},
    .call = call_reduce_by_allreduce,
});

}  // namespace invar::ops
