// Every rank gets a block from each of its neighbours, each with a count and a place of its own.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_neighbor_allgatherv(Call& c) {
  return MPI_Neighbor_allgatherv(c.send, c.own_count, c.type, c.recv, c.received.counts,
                                 c.received.displacements, c.type, c.comm);
}

int start_ineighbor_allgatherv(Call& c) {
  return MPI_Ineighbor_allgatherv(c.send, c.own_count, c.type, c.recv, c.received.counts,
                                  c.received.displacements, c.type, c.comm, c.requests);
}

int prepare_neighbor_allgatherv(Call& c) {
  return INVAR_INIT(c, Neighbor_allgatherv, c.send, c.own_count, c.type, c.recv, c.received.counts,
                    c.received.displacements, c.type, c.comm);
}

int call_neighbor_allgatherv_c(Call& c) {
  return INVAR_LARGE(c, Neighbor_allgatherv, c.send, c.large_own_count, c.type, c.recv,
                     c.received.large_counts, c.received.large_displacements, c.type, c.comm);
}

}  // namespace

extern constexpr Operation kNeighborAllgatherv{
    .name = "neighbor_allgatherv",
    .summary = "every rank sends one block to all its neighbours, with counts and displacements",
    .neighbours = true,
    .missing = kNeighboursMissing,
    .arrays = Arrays::kCounts,
    .distributes = Distributes::kRanks,
    .chain = record::Chain::kOne,
    .buffers = kBlockToNeighbours,
    .call = call_neighbor_allgatherv,
    .verify = block_of_every_neighbour,
};
extern constexpr Operation kIneighborAllgatherv =
    nonblocking<start_ineighbor_allgatherv>(kNeighborAllgatherv, "ineighbor_allgatherv");
extern constexpr Operation kNeighborAllgathervInit =
    persistent(kNeighborAllgatherv, "neighbor_allgatherv_init", prepare_neighbor_allgatherv);
extern constexpr Operation kNeighborAllgathervLarge =
    large_counts(kNeighborAllgatherv, "neighbor_allgatherv_c", call_neighbor_allgatherv_c);

}  // namespace invar::ops
