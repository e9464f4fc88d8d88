// Every rank gets the blocks of all ranks, each with a count and a place of its own.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_allgatherv(Call& c) {
  return MPI_Allgatherv(c.input(), c.own_count, c.type, c.recv, c.received.counts,
                        c.received.displacements, c.type, c.comm);
}

int start_iallgatherv(Call& c) {
  return MPI_Iallgatherv(c.input(), c.own_count, c.type, c.recv, c.received.counts,
                         c.received.displacements, c.type, c.comm, c.requests);
}

int prepare_allgatherv(Call& c) {
  return INVAR_INIT(c, Allgatherv, c.input(), c.own_count, c.type, c.recv, c.received.counts,
                    c.received.displacements, c.type, c.comm);
}

int call_allgatherv_c(Call& c) {
  return INVAR_LARGE(c, Allgatherv, c.input(), c.large_own_count, c.type, c.recv,
                     c.received.large_counts, c.received.large_displacements, c.type, c.comm);
}

}  // namespace

extern constexpr Operation kAllgatherv{
    .name = "allgatherv",
    .summary = "every rank gets every block, with counts and displacements",
    .in_place = true,
    .arrays = Arrays::kCounts,
    .distributes = Distributes::kRanks,
    .buffers = kBlockToAll,
    .call = call_allgatherv,
    .verify = block_of_every_rank,
};
extern constexpr Operation kIallgatherv =
    nonblocking<start_iallgatherv>(kAllgatherv, "iallgatherv");
extern constexpr Operation kAllgathervInit =
    persistent(kAllgatherv, "allgatherv_init", prepare_allgatherv);
extern constexpr Operation kAllgathervLarge =
    large_counts(kAllgatherv, "allgatherv_c", call_allgatherv_c);

}  // namespace invar::ops
