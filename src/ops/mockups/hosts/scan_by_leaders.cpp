// A scan through leaders: inside the hosts, what the hosts below give among the leaders, and
// inside the hosts again.
#include "ops/mockups/bodies/leaders.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_scan_by_leaders(Call& c) {
  return body::scan_by_leaders(c.input(), c.recv, c.count, elements_of(c), c.reduction, hosts_of(c),
                               c.scratch);
}

}  // namespace

extern constexpr Operation kScanByLeaders = mockup({
    .of = kPromisedScan,
    .name = "scan=hierarchical",
    .summary = "scan by hosts: scan, exscan of leaders, bcast, reduce_local",
    .scratch = on_all_ranks({.constant = 2}),
    .hosts = HostNeed::kTogether,
    .equip = make_ordered_leaders,
    .call = call_scan_by_leaders,
});

}  // namespace invar::ops
