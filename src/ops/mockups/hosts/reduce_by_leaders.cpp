// A reduce through leaders: inside a host to its leader, to the leader of the root's host, to
// the root.
#include "ops/mockups/bodies/leaders.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_reduce_by_leaders(Call& c) {
  return body::reduce_by_leaders(c.root_input(), c.recv, c.count, elements_of(c), c.reduction,
                                 c.root, hosts_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kReduceByLeaders = mockup({
    .of = kPromisedReduce,
    .name = "reduce=hierarchical",
    .summary = "reduce by hosts: reduce, reduce of leaders",
    .scratch = {.others = {.constant = 2},
                .root = kBlock,
                .others_in_place = {.constant = 2},
                .root_in_place = kBlock},
    .equip = make_leaders,
    .call = call_reduce_by_leaders,
});

}  // namespace invar::ops
