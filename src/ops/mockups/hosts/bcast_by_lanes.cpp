// A bcast by lanes: shares inside the root's host, by lanes to the others, and inside the hosts
// all shares.
#include "ops/mockups/bodies/lanes.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_bcast_by_lanes(Call& c) {
  return body::bcast_by_lanes(vector_of_bcast(c), c.count, elements_of(c), c.root, hosts_of(c),
                              c.scratch);
}

}  // namespace

extern constexpr Operation kBcastByLanes = mockup({
    .of = kPromisedBcast,
    .name = "bcast=full-lane",
    .summary = "bcast by lanes: scatter, bcast by lanes, allgather",
    .scratch = on_all_ranks(kPadded),
    .counted = kPadded,
    .hosts = HostNeed::kEven,
    .equip = make_lanes,
    .call = call_bcast_by_lanes,
});

}  // namespace invar::ops
