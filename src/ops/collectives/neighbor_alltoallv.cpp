// Every rank sends a block of its own to each neighbour, with counts and displacements.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_neighbor_alltoallv(Call& c) {
  return MPI_Neighbor_alltoallv(c.send, c.sent.counts, c.sent.displacements, c.type, c.recv,
                                c.received.counts, c.received.displacements, c.type, c.comm);
}

int start_ineighbor_alltoallv(Call& c) {
  return MPI_Ineighbor_alltoallv(c.send, c.sent.counts, c.sent.displacements, c.type, c.recv,
                                 c.received.counts, c.received.displacements, c.type, c.comm,
                                 c.requests);
}

int prepare_neighbor_alltoallv(Call& c) {
  return INVAR_INIT(c, Neighbor_alltoallv, c.send, c.sent.counts, c.sent.displacements, c.type,
                    c.recv, c.received.counts, c.received.displacements, c.type, c.comm);
}

int call_neighbor_alltoallv_c(Call& c) {
  return INVAR_LARGE(c, Neighbor_alltoallv, c.send, c.sent.large_counts, c.sent.large_displacements,
                     c.type, c.recv, c.received.large_counts, c.received.large_displacements,
                     c.type, c.comm);
}

}  // namespace

extern constexpr Operation kNeighborAlltoallv{
    .name = "neighbor_alltoallv",
    .summary =
        "every rank sends a block of its own to each neighbour, with counts and displacements",
    .neighbours = true,
    .missing = kNeighboursMissing,
    .arrays = Arrays::kCounts,
    .distributes = Distributes::kRanks,
    .chain = record::Chain::kOne,
    .buffers = kNeighboursToNeighbours,
    .call = call_neighbor_alltoallv,
    .verify = my_block_of_every_neighbour,
};
extern constexpr Operation kIneighborAlltoallv =
    nonblocking<start_ineighbor_alltoallv>(kNeighborAlltoallv, "ineighbor_alltoallv");
extern constexpr Operation kNeighborAlltoallvInit =
    persistent(kNeighborAlltoallv, "neighbor_alltoallv_init", prepare_neighbor_alltoallv);
extern constexpr Operation kNeighborAlltoallvLarge =
    large_counts(kNeighborAlltoallv, "neighbor_alltoallv_c", call_neighbor_alltoallv_c);

}  // namespace invar::ops
