// An allgather through leaders: inside a host to its leader, all blocks among the leaders,
// inside the hosts to all.
#include "ops/mockups/bodies/leaders.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allgather_by_leaders(Call& c) {
  return body::allgather_by_leaders(c.input(), c.recv, c.count, elements_of(c), hosts_of(c));
}

}  // namespace

extern constexpr Operation kAllgatherByLeaders = mockup({
    .of = kPromisedAllgather,
    .name = "allgather=hierarchical",
    .summary = "allgather by hosts: gather, allgatherv of leaders, bcast",
    .counted = kAllBlocks,
    .hosts = HostNeed::kTogether,
    .equip = make_leaders_of_blocks,
    .call = call_allgather_by_leaders,
});

}  // namespace invar::ops
