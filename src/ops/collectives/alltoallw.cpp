// Every rank sends a block of its own to every rank, with counts, displacements in bytes and a
// datatype for each: of what it sends, and of what it receives.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_alltoallw(Call& c) {
  return MPI_Alltoallw(c.input(), c.sent.counts, c.sent.byte_displacements, c.types, c.recv,
                       c.received.counts, c.received.byte_displacements, c.types, c.comm);
}

int start_ialltoallw(Call& c) {
  return MPI_Ialltoallw(c.input(), c.sent.counts, c.sent.byte_displacements, c.types, c.recv,
                        c.received.counts, c.received.byte_displacements, c.types, c.comm,
                        c.requests);
}

int prepare_alltoallw(Call& c) {
  return INVAR_INIT(c, Alltoallw, c.input(), c.sent.counts, c.sent.byte_displacements, c.types,
                    c.recv, c.received.counts, c.received.byte_displacements, c.types, c.comm);
}

int call_alltoallw_c(Call& c) {
  return INVAR_LARGE(c, Alltoallw, c.input(), c.sent.large_counts, c.sent.address_displacements,
                     c.types, c.recv, c.received.large_counts, c.received.address_displacements,
                     c.types, c.comm);
}

}  // namespace

extern constexpr Operation kAlltoallw{
    .name = "alltoallw",
    .summary = "every rank sends a block to every rank, with a datatype each",
    .in_place = true,
    .arrays = Arrays::kTyped,
    .distributes = Distributes::kPairs,
    .buffers = kAllToAll,
    .call = call_alltoallw,
    .verify = my_block_of_every_rank,
};
extern constexpr Operation kIalltoallw = nonblocking<start_ialltoallw>(kAlltoallw, "ialltoallw");
extern constexpr Operation kAlltoallwInit =
    persistent(kAlltoallw, "alltoallw_init", prepare_alltoallw);
extern constexpr Operation kAlltoallwLarge =
    large_counts(kAlltoallw, "alltoallw_c", call_alltoallw_c);

}  // namespace invar::ops
