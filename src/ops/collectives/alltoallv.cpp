// Every rank sends a block of its own to every rank, with counts and displacements. One array
// serves both sides: what rank r sends to rank s is as long as what s sends to r.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_alltoallv(Call& c) {
  return MPI_Alltoallv(c.input(), c.counts, c.displacements, c.type, c.recv, c.counts,
                       c.displacements, c.type, c.comm);
}

int call_ialltoallv(Call& c) {
  return waited(c, MPI_Ialltoallv(c.input(), c.counts, c.displacements, c.type, c.recv, c.counts,
                                  c.displacements, c.type, c.comm, c.requests));
}

int prepare_alltoallv(Call& c) {
  return INVAR_INIT(c, Alltoallv, c.input(), c.counts, c.displacements, c.type, c.recv, c.counts,
                    c.displacements, c.type, c.comm);
}

}  // namespace

extern constexpr Operation kAlltoallv{
    .name = "alltoallv",
    .summary = "every rank sends a block to every rank, with counts and displacements",
    .in_place = true,
    .arrays = Arrays::kCounts,
    .buffers = kAllToAll,
    .call = call_alltoallv,
    .verify = my_block_of_every_rank,
};
extern constexpr Operation kIalltoallv = nonblocking(kAlltoallv, "ialltoallv", call_ialltoallv);
extern constexpr Operation kAlltoallvInit =
    persistent(kAlltoallv, "alltoallv_init", prepare_alltoallv);

}  // namespace invar::ops
