// Rank r gets the reduction of the vectors of ranks 0 to r - 1; what rank 0 gets is undefined.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_exscan(Call& c) {
  return MPI_Exscan(c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int start_iexscan(Call& c) {
  return MPI_Iexscan(c.input(), c.recv, c.count, c.type, c.reduction, c.comm, c.requests);
}

int prepare_exscan(Call& c) {
  return INVAR_INIT(c, Exscan, c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int call_exscan_c(Call& c) {
  return INVAR_LARGE(c, Exscan, c.input(), c.recv, c.large_count, c.type, c.reduction, c.comm);
}

}  // namespace

extern constexpr Operation kExscan{
    .name = "exscan",
    .summary = "rank r gets the reduction over the ranks below r",
    .reduces = true,
    .in_place = true,
    .buffers = kBlockToBlock,
    .call = call_exscan,
    .verify = reduced_below,
};
extern constexpr Operation kIexscan = nonblocking<start_iexscan>(kExscan, "iexscan");
extern constexpr Operation kExscanInit = persistent(kExscan, "exscan_init", prepare_exscan);
extern constexpr Operation kExscanLarge = large_counts(kExscan, "exscan_c", call_exscan_c);

}  // namespace invar::ops
