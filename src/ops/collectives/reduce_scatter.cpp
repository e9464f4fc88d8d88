// The reduction of vectors of all blocks; each rank gets a block, with a count of its own.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_reduce_scatter(Call& c) {
  return MPI_Reduce_scatter(c.input(), c.recv, c.received.counts, c.type, c.reduction, c.comm);
}

int start_ireduce_scatter(Call& c) {
  return MPI_Ireduce_scatter(c.input(), c.recv, c.received.counts, c.type, c.reduction, c.comm,
                             c.requests);
}

int prepare_reduce_scatter(Call& c) {
  return INVAR_INIT(c, Reduce_scatter, c.input(), c.recv, c.received.counts, c.type, c.reduction,
                    c.comm);
}

int call_reduce_scatter_c(Call& c) {
  return INVAR_LARGE(c, Reduce_scatter, c.input(), c.recv, c.received.large_counts, c.type,
                     c.reduction, c.comm);
}

}  // namespace

extern constexpr Operation kReduceScatter{
    .name = "reduce_scatter",
    .summary = "each rank gets its block of the reduced vector, with counts",
    .reduces = true,
    .in_place = true,
    .arrays = Arrays::kCounts,
    .distributes = Distributes::kRanks,
    .buffers = kAllToBlock,
    .call = call_reduce_scatter,
    .verify = my_block_reduced,
};
extern constexpr Operation kIreduceScatter =
    nonblocking<start_ireduce_scatter>(kReduceScatter, "ireduce_scatter");
extern constexpr Operation kReduceScatterInit =
    persistent(kReduceScatter, "reduce_scatter_init", prepare_reduce_scatter);
extern constexpr Operation kReduceScatterLarge =
    large_counts(kReduceScatter, "reduce_scatter_c", call_reduce_scatter_c);

}  // namespace invar::ops
