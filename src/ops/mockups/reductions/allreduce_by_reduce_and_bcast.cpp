// An allreduce as a reduce to rank 0, which sends the result to all (paper 003, GL12).
#include "ops/mockups/bodies/allreduce.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allreduce_by_reduce_and_bcast(Call& c) {
  return body::allreduce_by_reduce_and_bcast(c.input(), c.recv, c.count, elements_of(c),
                                             c.reduction, group_of(c));
}

}  // namespace

extern constexpr Operation kAllreduceByReduceAndBcast = mockup({
    .of = kPromisedAllreduce,
    .name = "allreduce=reduce+bcast",
    .summary = "allreduce by reduce to rank 0, then bcast",
    .parts = {{{"reduce"}, {"bcast"}}},
    .call = call_allreduce_by_reduce_and_bcast,
});

}  // namespace invar::ops
