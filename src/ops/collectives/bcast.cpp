// The vector of the root goes to all ranks. The root sends from `send` and the others receive into
// `recv`, so that data which a rank must not touch are on every rank.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

void* vector_of(const Call& c) { return c.rank == c.root ? c.send : c.recv; }

int call_bcast(Call& c) { return MPI_Bcast(vector_of(c), c.count, c.type, c.root, c.comm); }

int start_ibcast(Call& c) {
  return MPI_Ibcast(vector_of(c), c.count, c.type, c.root, c.comm, c.requests);
}

int prepare_bcast(Call& c) {
  return INVAR_INIT(c, Bcast, vector_of(c), c.count, c.type, c.root, c.comm);
}

int call_bcast_c(Call& c) {
  return INVAR_LARGE(c, Bcast, vector_of(c), c.large_count, c.type, c.root, c.comm);
}

}  // namespace

extern constexpr Operation kBcast{
    .name = "bcast",
    .summary = "the vector of the root goes to every rank",
    .rooted = true,
    .buffers = kBlockToBlock,
    .call = call_bcast,
    .verify = root_to_others,
};
extern constexpr Operation kIbcast = nonblocking<start_ibcast>(kBcast, "ibcast");
extern constexpr Operation kBcastInit = persistent(kBcast, "bcast_init", prepare_bcast);
extern constexpr Operation kBcastLarge = large_counts(kBcast, "bcast_c", call_bcast_c);

}  // namespace invar::ops
