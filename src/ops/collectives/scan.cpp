// Rank r gets the reduction of the vectors of ranks 0 to r.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_scan(Call& c) { return MPI_Scan(c.input(), c.recv, c.count, c.type, c.reduction, c.comm); }

int start_iscan(Call& c) {
  return MPI_Iscan(c.input(), c.recv, c.count, c.type, c.reduction, c.comm, c.requests);
}

int prepare_scan(Call& c) {
  return INVAR_INIT(c, Scan, c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int call_scan_c(Call& c) {
  return INVAR_LARGE(c, Scan, c.input(), c.recv, c.large_count, c.type, c.reduction, c.comm);
}

}  // namespace

extern constexpr Operation kScan{
    .name = "scan",
    .summary = "rank r gets the reduction over ranks 0 to r",
    .reduces = true,
    .in_place = true,
    .buffers = kBlockToBlock,
    .call = call_scan,
    .verify = reduced_up_to,
};
extern constexpr Operation kIscan = nonblocking<start_iscan>(kScan, "iscan");
extern constexpr Operation kScanInit = persistent(kScan, "scan_init", prepare_scan);
extern constexpr Operation kScanLarge = large_counts(kScan, "scan_c", call_scan_c);

}  // namespace invar::ops
