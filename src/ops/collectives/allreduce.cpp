// Every rank gets the reduction of the vectors of all ranks.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_allreduce(Call& c) {
  return MPI_Allreduce(c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int start_iallreduce(Call& c) {
  return MPI_Iallreduce(c.input(), c.recv, c.count, c.type, c.reduction, c.comm, c.requests);
}

int prepare_allreduce(Call& c) {
  return INVAR_INIT(c, Allreduce, c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int call_allreduce_c(Call& c) {
  return INVAR_LARGE(c, Allreduce, c.input(), c.recv, c.large_count, c.type, c.reduction, c.comm);
}

}  // namespace

extern constexpr Operation kAllreduce{
    .name = "allreduce",
    .summary = "every rank gets the reduced vector",
    .reduces = true,
    .in_place = true,
    .buffers = kBlockToBlock,
    .call = call_allreduce,
    .verify = reduced_over_all,
};
extern constexpr Operation kIallreduce = nonblocking<start_iallreduce>(kAllreduce, "iallreduce");
extern constexpr Operation kAllreduceInit =
    persistent(kAllreduce, "allreduce_init", prepare_allreduce);
extern constexpr Operation kAllreduceLarge =
    large_counts(kAllreduce, "allreduce_c", call_allreduce_c);

}  // namespace invar::ops
