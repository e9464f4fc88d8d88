// An allgather by lanes: the blocks of the own lane, then inside the hosts those of all lanes.
#include "ops/mockups/bodies/lanes.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allgather_by_lanes(Call& c) {
  return body::allgather_by_lanes(c.input(), c.recv, c.count, elements_of(c), hosts_of(c));
}

}  // namespace

extern constexpr Operation kAllgatherByLanes = mockup({
    .of = kPromisedAllgather,
    .name = "allgather=full-lane",
    .summary = "allgather by lanes: allgather by lanes, allgather in the host",
    .hosts = HostNeed::kEven,
    .equip = make_lanes,
    .call = call_allgather_by_lanes,
});

}  // namespace invar::ops
