// A gather by lanes: by lanes to the root's host, and there to the root.
#include "ops/mockups/bodies/lanes.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_gather_by_lanes(Call& c) {
  return body::gather_by_lanes(c.root_input(), c.recv, c.count, elements_of(c), c.root, hosts_of(c),
                               c.scratch);
}

}  // namespace

extern constexpr Operation kGatherByLanes = mockup({
    .of = kPromisedGather,
    .name = "gather=full-lane",
    .summary = "gather by lanes: gather by lanes, gather in the host",
    .scratch = on_all_ranks(kAllBlocks),
    .counted = kAllBlocks,
    .hosts = HostNeed::kEven,
    .equip = make_lanes,
    .call = call_gather_by_lanes,
});

}  // namespace invar::ops
