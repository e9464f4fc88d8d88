// Operations under a second name: a rule `bcast(n) <= bcast=again(n)` compares a library with
// itself, as if it had a mock-up that does exactly the same (bench/guidelines.py).
//
// They call PMPI_Bcast, which in the library is the same function at the same address. Only what is
// preloaded can tell the two names apart: bench/plant.c delays callers of MPI_Bcast and not these.
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_allgather_again(Call& c) {
  return PMPI_Allgather(c.input(), c.count, c.type, c.recv, c.count, c.type, c.comm);
}

int call_allreduce_again(Call& c) {
  return PMPI_Allreduce(c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int call_bcast_again(Call& c) {
  return PMPI_Bcast(vector_of_bcast(c), c.count, c.type, c.root, c.comm);
}

int call_gather_again(Call& c) {
  return PMPI_Gather(c.root_input(), c.count, c.type, c.recv, c.count, c.type, c.root, c.comm);
}

int call_reduce_again(Call& c) {
  return PMPI_Reduce(c.root_input(), c.recv, c.count, c.type, c.reduction, c.root, c.comm);
}

int call_reduce_scatter_again(Call& c) {
  return PMPI_Reduce_scatter(c.input(), c.recv, c.received.counts, c.type, c.reduction, c.comm);
}

int call_reduce_scatter_block_again(Call& c) {
  return PMPI_Reduce_scatter_block(c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int call_scan_again(Call& c) {
  return PMPI_Scan(c.input(), c.recv, c.count, c.type, c.reduction, c.comm);
}

int call_scatter_again(Call& c) {
  return PMPI_Scatter(c.send, c.count, c.type, c.root_output(), c.count, c.type, c.root, c.comm);
}

constexpr Operation again(const Promise& of, const char* name, int (*call)(Call&)) {
  return mockup({.of = of,
                 .name = name,
                 .summary = "the same call under a second name: a library against itself",
                 .call = call});
}

}  // namespace

extern constexpr Operation kAllgatherAgain =
    again(kPromisedAllgather, "allgather=again", call_allgather_again);
extern constexpr Operation kAllreduceAgain =
    again(kPromisedAllreduce, "allreduce=again", call_allreduce_again);
extern constexpr Operation kBcastAgain = again(kPromisedBcast, "bcast=again", call_bcast_again);
extern constexpr Operation kGatherAgain = again(kPromisedGather, "gather=again", call_gather_again);
extern constexpr Operation kReduceAgain = again(kPromisedReduce, "reduce=again", call_reduce_again);
extern constexpr Operation kReduceScatterAgain =
    again(kPromisedReduceScatter, "reduce_scatter=again", call_reduce_scatter_again);
extern constexpr Operation kReduceScatterBlockAgain = again(
    kPromisedReduceScatterBlock, "reduce_scatter_block=again", call_reduce_scatter_block_again);
extern constexpr Operation kScanAgain = again(kPromisedScan, "scan=again", call_scan_again);
extern constexpr Operation kScatterAgain =
    again(kPromisedScatter, "scatter=again", call_scatter_again);

}  // namespace invar::ops
