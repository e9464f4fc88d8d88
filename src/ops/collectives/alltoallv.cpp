// Every rank sends a block of its own to every rank, with counts and displacements for
// what it sends and for what it receives, which differ where the blocks are not equal.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_alltoallv(Call& c) {
  return MPI_Alltoallv(c.input(), c.sent.counts, c.sent.displacements, c.type, c.recv,
                       c.received.counts, c.received.displacements, c.type, c.comm);
}

int start_ialltoallv(Call& c) {
  return MPI_Ialltoallv(c.input(), c.sent.counts, c.sent.displacements, c.type, c.recv,
                        c.received.counts, c.received.displacements, c.type, c.comm, c.requests);
}

int prepare_alltoallv(Call& c) {
  return INVAR_INIT(c, Alltoallv, c.input(), c.sent.counts, c.sent.displacements, c.type, c.recv,
                    c.received.counts, c.received.displacements, c.type, c.comm);
}

int call_alltoallv_c(Call& c) {
  return INVAR_LARGE(c, Alltoallv, c.input(), c.sent.large_counts, c.sent.large_displacements,
                     c.type, c.recv, c.received.large_counts, c.received.large_displacements,
                     c.type, c.comm);
}

}  // namespace

extern constexpr Operation kAlltoallv{
    .name = "alltoallv",
    .summary = "every rank sends a block to every rank, with counts and displacements",
    .in_place = true,
    .arrays = Arrays::kCounts,
    .distributes = Distributes::kPairs,
    .buffers = kAllToAll,
    .call = call_alltoallv,
    .verify = my_block_of_every_rank,
};
extern constexpr Operation kIalltoallv = nonblocking<start_ialltoallv>(kAlltoallv, "ialltoallv");
extern constexpr Operation kAlltoallvInit =
    persistent(kAlltoallv, "alltoallv_init", prepare_alltoallv);
extern constexpr Operation kAlltoallvLarge =
    large_counts(kAlltoallv, "alltoallv_c", call_alltoallv_c);

}  // namespace invar::ops
