// Every rank gets the blocks of all ranks, in the order of the ranks.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_allgather(Call& c) {
  return MPI_Allgather(c.input(), c.count, c.type, c.recv, c.count, c.type, c.comm);
}

int start_iallgather(Call& c) {
  return MPI_Iallgather(c.input(), c.count, c.type, c.recv, c.count, c.type, c.comm, c.requests);
}

int prepare_allgather(Call& c) {
  return INVAR_INIT(c, Allgather, c.input(), c.count, c.type, c.recv, c.count, c.type, c.comm);
}

int call_allgather_c(Call& c) {
  return INVAR_LARGE(c, Allgather, c.input(), c.large_count, c.type, c.recv, c.large_count, c.type,
                     c.comm);
}

}  // namespace

extern constexpr Operation kAllgather{
    .name = "allgather",
    .summary = "every rank gets every block",
    .in_place = true,
    .buffers = kBlockToAll,
    .call = call_allgather,
    .verify = block_of_every_rank,
};
extern constexpr Operation kIallgather = nonblocking<start_iallgather>(kAllgather, "iallgather");
extern constexpr Operation kAllgatherInit =
    persistent(kAllgather, "allgather_init", prepare_allgather);
extern constexpr Operation kAllgatherLarge =
    large_counts(kAllgather, "allgather_c", call_allgather_c);

}  // namespace invar::ops
