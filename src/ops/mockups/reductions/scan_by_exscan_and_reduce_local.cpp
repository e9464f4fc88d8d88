// A scan as an exscan, to which every rank adds its own vector (paper 003, GL16).
#include "ops/mockups/bodies/scan.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_scan_by_exscan_and_reduce_local(Call& c) {
  return body::scan_by_exscan_and_reduce_local(c.input(), c.recv, c.count, elements_of(c),
                                               c.reduction, group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kScanByExscanAndReduceLocal = mockup({
    .of = kPromisedScan,
    .name = "scan=exscan+reduce_local",
    .summary = "scan by exscan, then reduce_local with the own vector",
    .parts = {{{"exscan"}, {"reduce_local"}}},
    .scratch = on_all_ranks(kBlock),
    .call = call_scan_by_exscan_and_reduce_local,
});

}  // namespace invar::ops
