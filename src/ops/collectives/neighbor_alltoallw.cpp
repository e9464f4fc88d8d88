// Every rank sends a block of its own to each neighbour, with counts, displacements in bytes and a
// datatype for each.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_neighbor_alltoallw(Call& c) {
  return MPI_Neighbor_alltoallw(c.send, c.sent.counts, c.sent.address_displacements, c.types,
                                c.recv, c.received.counts, c.received.address_displacements,
                                c.types, c.comm);
}

int start_ineighbor_alltoallw(Call& c) {
  return MPI_Ineighbor_alltoallw(c.send, c.sent.counts, c.sent.address_displacements, c.types,
                                 c.recv, c.received.counts, c.received.address_displacements,
                                 c.types, c.comm, c.requests);
}

int prepare_neighbor_alltoallw(Call& c) {
  return INVAR_INIT(c, Neighbor_alltoallw, c.send, c.sent.counts, c.sent.address_displacements,
                    c.types, c.recv, c.received.counts, c.received.address_displacements, c.types,
                    c.comm);
}

int call_neighbor_alltoallw_c(Call& c) {
  return INVAR_LARGE(c, Neighbor_alltoallw, c.send, c.sent.large_counts,
                     c.sent.address_displacements, c.types, c.recv, c.received.large_counts,
                     c.received.address_displacements, c.types, c.comm);
}

}  // namespace

extern constexpr Operation kNeighborAlltoallw{
    .name = "neighbor_alltoallw",
    .summary = "every rank sends a block of its own to each neighbour, with a datatype each",
    .neighbours = true,
    .missing = kNeighboursMissing,
    .arrays = Arrays::kTyped,
    .distributes = Distributes::kRanks,
    .chain = record::Chain::kOne,
    .buffers = kNeighboursToNeighbours,
    .call = call_neighbor_alltoallw,
    .verify = my_block_of_every_neighbour,
};
extern constexpr Operation kIneighborAlltoallw =
    nonblocking<start_ineighbor_alltoallw>(kNeighborAlltoallw, "ineighbor_alltoallw");
extern constexpr Operation kNeighborAlltoallwInit =
    persistent(kNeighborAlltoallw, "neighbor_alltoallw_init", prepare_neighbor_alltoallw);
extern constexpr Operation kNeighborAlltoallwLarge =
    large_counts(kNeighborAlltoallw, "neighbor_alltoallw_c", call_neighbor_alltoallw_c);

}  // namespace invar::ops
