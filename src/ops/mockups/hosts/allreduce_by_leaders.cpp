// An allreduce through leaders: inside a host to its leader, among the leaders, inside the
// hosts to all.
#include "ops/mockups/bodies/leaders.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allreduce_by_leaders(Call& c) {
  return body::allreduce_by_leaders(c.input(), c.recv, c.count, elements_of(c), c.reduction,
                                    hosts_of(c));
}

}  // namespace

extern constexpr Operation kAllreduceByLeaders = mockup({
    .of = kPromisedAllreduce,
    .name = "allreduce=hierarchical",
    .summary = "allreduce by hosts: reduce, allreduce of leaders, bcast",
    .equip = make_leaders,
    .call = call_allreduce_by_leaders,
});

}  // namespace invar::ops
