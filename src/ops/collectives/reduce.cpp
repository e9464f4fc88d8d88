// The root gets the reduction of the vectors of all ranks.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_reduce(Call& c) {
  return MPI_Reduce(c.root_input(), c.recv, c.count, c.type, c.reduction, c.root, c.comm);
}

int start_ireduce(Call& c) {
  return MPI_Ireduce(c.root_input(), c.recv, c.count, c.type, c.reduction, c.root, c.comm,
                     c.requests);
}

int prepare_reduce(Call& c) {
  return INVAR_INIT(c, Reduce, c.root_input(), c.recv, c.count, c.type, c.reduction, c.root,
                    c.comm);
}

// MPICH 4.0.2 reads from MPI_IN_PLACE where the root is not rank 0 and the vector is longer than 2
// KiB: MPI_Reduce of 1024 int32 on two ranks with root 1 crashes. MPI_Ireduce does not.
constexpr bool kInPlace =
#if defined(MPICH_NUMVERSION) && !defined(I_MPI_VERSION) && MPICH_NUMVERSION < 40100000
    false;
#else
    true;
#endif

int call_reduce_c(Call& c) {
  return INVAR_LARGE(c, Reduce, c.root_input(), c.recv, c.large_count, c.type, c.reduction, c.root,
                     c.comm);
}

}  // namespace

extern constexpr Operation kReduce{
    .name = "reduce",
    .summary = "the root gets the reduced vector",
    .rooted = true,
    .reduces = true,
    .in_place = kInPlace,
    .buffers = kBlockToRootBlock,
    .call = call_reduce,
    .verify = on_root<reduced_over_all>,
};
extern constexpr Operation kIreduce = nonblocking<start_ireduce>(kReduce, "ireduce");
extern constexpr Operation kReduceInit = persistent(kReduce, "reduce_init", prepare_reduce);
extern constexpr Operation kReduceLarge = large_counts(kReduce, "reduce_c", call_reduce_c);

}  // namespace invar::ops
