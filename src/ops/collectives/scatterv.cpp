// The root sends a block to every rank, each with a count and a place of its own.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_scatterv(Call& c) {
  return MPI_Scatterv(c.send, c.sent.counts, c.sent.displacements, c.type, c.root_output(),
                      c.own_count, c.type, c.root, c.comm);
}

int start_iscatterv(Call& c) {
  return MPI_Iscatterv(c.send, c.sent.counts, c.sent.displacements, c.type, c.root_output(),
                       c.own_count, c.type, c.root, c.comm, c.requests);
}

int prepare_scatterv(Call& c) {
  return INVAR_INIT(c, Scatterv, c.send, c.sent.counts, c.sent.displacements, c.type,
                    c.root_output(), c.own_count, c.type, c.root, c.comm);
}

int call_scatterv_c(Call& c) {
  return INVAR_LARGE(c, Scatterv, c.send, c.sent.large_counts, c.sent.large_displacements, c.type,
                     c.root_output(), c.large_own_count, c.type, c.root, c.comm);
}

}  // namespace

extern constexpr Operation kScatterv{
    .name = "scatterv",
    .summary = "the root sends a block to every rank, with counts and displacements",
    .rooted = true,
    .in_place = true,
    .arrays = Arrays::kCounts,
    .distributes = Distributes::kRanks,
    .buffers = kRootAllToBlock,
    .call = call_scatterv,
    .verify = my_block_of_root,
};
extern constexpr Operation kIscatterv = nonblocking<start_iscatterv>(kScatterv, "iscatterv");
extern constexpr Operation kScattervInit = persistent(kScatterv, "scatterv_init", prepare_scatterv);
extern constexpr Operation kScattervLarge = large_counts(kScatterv, "scatterv_c", call_scatterv_c);

}  // namespace invar::ops
