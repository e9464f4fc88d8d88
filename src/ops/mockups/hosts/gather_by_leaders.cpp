// A gather through leaders: inside a host to its leader, to the leader of the root's host, to
// the root.
#include "ops/mockups/bodies/leaders.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_gather_by_leaders(Call& c) {
  return body::gather_by_leaders(c.root_input(), c.recv, c.count, elements_of(c), c.root,
                                 hosts_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kGatherByLeaders = mockup({
    .of = kPromisedGather,
    .name = "gather=hierarchical",
    .summary = "gather by hosts: gather, gatherv of leaders",
    .scratch = {.others = kAllBlocks, .others_in_place = kAllBlocks},
    .counted = kAllBlocks,
    .hosts = HostNeed::kTogether,
    .equip = make_leaders_of_blocks,
    .call = call_gather_by_leaders,
});

}  // namespace invar::ops
