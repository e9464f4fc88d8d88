// An exscan as a scan whose results are handed to the next rank.
#include "ops/mockups/bodies/scan.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_exscan_by_scan_and_sendrecv(Call& c) {
  return body::exscan_by_scan_and_sendrecv(c.input(), c.recv, c.count, elements_of(c), c.reduction,
                                           group_of(c), c.scratch);
}

}  // namespace

extern constexpr Operation kExscanByScanAndSendrecv = mockup({
    .of = kPromisedExscan,
    .name = "exscan=scan+sendrecv",
    .summary = "exscan by scan, then a shift by one rank",
    .parts = {{{"scan"}, {"sendrecv"}}},
    .scratch = on_all_ranks(kBlock),
    .call = call_exscan_by_scan_and_sendrecv,
});

}  // namespace invar::ops
