// The root gets the blocks of all ranks, in the order of the ranks.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_gather(Call& c) {
  return MPI_Gather(c.root_input(), c.count, c.type, c.recv, c.count, c.type, c.root, c.comm);
}

int start_igather(Call& c) {
  return MPI_Igather(c.root_input(), c.count, c.type, c.recv, c.count, c.type, c.root, c.comm,
                     c.requests);
}

int prepare_gather(Call& c) {
  return INVAR_INIT(c, Gather, c.root_input(), c.count, c.type, c.recv, c.count, c.type, c.root,
                    c.comm);
}

// Before 4.3, MPICH's persistent gather copies the root's own block when the request is made, not
// when it is started, and uses memory after it was freed (issue 7078 of pmodels/mpich). So does
// Intel MPI, which is made from it (seen with 2021.18).
constexpr Operation without_broken(Operation operation) {
#if defined(I_MPI_VERSION)
  operation.missing =
      "MPI_Gather_init of Intel MPI loses the root's block, as MPICH's does (MPICH issue 7078)";
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40300000
  operation.missing = "MPI_Gather_init of MPICH " MPICH_VERSION
                      " loses the root's block and corrupts memory (MPICH issue 7078)";
#endif
  return operation;
}

int call_gather_c(Call& c) {
  return INVAR_LARGE(c, Gather, c.root_input(), c.large_count, c.type, c.recv, c.large_count,
                     c.type, c.root, c.comm);
}

}  // namespace

extern constexpr Operation kGather{
    .name = "gather",
    .summary = "the root gets every block",
    .rooted = true,
    .in_place = true,
    .buffers = kBlockToRootAll,
    .call = call_gather,
    .verify = on_root<block_of_every_rank>,
};
extern constexpr Operation kIgather = nonblocking<start_igather>(kGather, "igather");
extern constexpr Operation kGatherInit =
    without_broken(persistent(kGather, "gather_init", prepare_gather));
extern constexpr Operation kGatherLarge = large_counts(kGather, "gather_c", call_gather_c);

}  // namespace invar::ops
