// A scan by lanes: shares of what the hosts below give by lanes, inside the hosts all of it and
// the scan of the host.
#include "ops/mockups/bodies/lanes.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_scan_by_lanes(Call& c) {
  return body::scan_by_lanes(c.input(), c.recv, c.count, elements_of(c), c.reduction, hosts_of(c),
                             c.scratch);
}

}  // namespace

extern constexpr Operation kScanByLanes = mockup({
    .of = kPromisedScan,
    .name = "scan=full-lane",
    .summary = "scan by lanes: reduce_scatter_block, exscan by lanes, allgather, scan",
    .scratch = on_all_ranks({.shares_per_rank = 3}),
    .counted = kPadded,
    .hosts = HostNeed::kEven,
    .equip = make_lanes,
    .call = call_scan_by_lanes,
});

}  // namespace invar::ops
