// Every rank sends a block of its own to every rank.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_alltoall(Call& c) {
  return MPI_Alltoall(c.input(), c.count, c.type, c.recv, c.count, c.type, c.comm);
}

int start_ialltoall(Call& c) {
  return MPI_Ialltoall(c.input(), c.count, c.type, c.recv, c.count, c.type, c.comm, c.requests);
}

int prepare_alltoall(Call& c) {
  return INVAR_INIT(c, Alltoall, c.input(), c.count, c.type, c.recv, c.count, c.type, c.comm);
}

int call_alltoall_c(Call& c) {
  return INVAR_LARGE(c, Alltoall, c.input(), c.large_count, c.type, c.recv, c.large_count, c.type,
                     c.comm);
}

}  // namespace

extern constexpr Operation kAlltoall{
    .name = "alltoall",
    .summary = "every rank sends a block to every rank",
    .in_place = true,
    .buffers = kAllToAll,
    .call = call_alltoall,
    .verify = my_block_of_every_rank,
};
extern constexpr Operation kIalltoall = nonblocking<start_ialltoall>(kAlltoall, "ialltoall");
extern constexpr Operation kAlltoallInit = persistent(kAlltoall, "alltoall_init", prepare_alltoall);
extern constexpr Operation kAlltoallLarge = large_counts(kAlltoall, "alltoall_c", call_alltoall_c);

}  // namespace invar::ops
