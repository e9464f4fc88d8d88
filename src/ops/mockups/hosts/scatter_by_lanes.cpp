// A scatter by lanes: inside the root's host the blocks of each lane, and by lanes to their
// ranks.
#include "ops/mockups/bodies/lanes.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_scatter_by_lanes(Call& c) {
  return body::scatter_by_lanes(c.send, c.root_output(), c.count, elements_of(c), c.root,
                                hosts_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kScatterByLanes = mockup({
    .of = kPromisedScatter,
    .name = "scatter=full-lane",
    .summary = "scatter by lanes: scatter in the host, scatter by lanes",
    .scratch = on_all_ranks(kAllBlocks),
    .counted = kAllBlocks,
    .hosts = HostNeed::kEven,
    .equip = make_lanes,
    .call = call_scatter_by_lanes,
});

}  // namespace invar::ops
