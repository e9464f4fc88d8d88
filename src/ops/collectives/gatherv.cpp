// The root gets the blocks of all ranks, each with a count and a place of its own.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_gatherv(Call& c) {
  return MPI_Gatherv(c.root_input(), c.own_count, c.type, c.recv, c.received.counts,
                     c.received.displacements, c.type, c.root, c.comm);
}

int start_igatherv(Call& c) {
  return MPI_Igatherv(c.root_input(), c.own_count, c.type, c.recv, c.received.counts,
                      c.received.displacements, c.type, c.root, c.comm, c.requests);
}

int prepare_gatherv(Call& c) {
  return INVAR_INIT(c, Gatherv, c.root_input(), c.own_count, c.type, c.recv, c.received.counts,
                    c.received.displacements, c.type, c.root, c.comm);
}

int call_gatherv_c(Call& c) {
  return INVAR_LARGE(c, Gatherv, c.root_input(), c.large_own_count, c.type, c.recv,
                     c.received.large_counts, c.received.large_displacements, c.type, c.root,
                     c.comm);
}

}  // namespace

extern constexpr Operation kGatherv{
    .name = "gatherv",
    .summary = "the root gets every block, with counts and displacements",
    .rooted = true,
    .in_place = true,
    .arrays = Arrays::kCounts,
    .distributes = Distributes::kRanks,
    .buffers = kBlockToRootAll,
    .call = call_gatherv,
    .verify = on_root<block_of_every_rank>,
};
extern constexpr Operation kIgatherv = nonblocking<start_igatherv>(kGatherv, "igatherv");
extern constexpr Operation kGathervInit = persistent(kGatherv, "gatherv_init", prepare_gatherv);
extern constexpr Operation kGathervLarge = large_counts(kGatherv, "gatherv_c", call_gatherv_c);

}  // namespace invar::ops
