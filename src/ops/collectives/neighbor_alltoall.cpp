// Every rank sends a block of its own to each of its neighbours: the exchange of halos.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_neighbor_alltoall(Call& c) {
  return MPI_Neighbor_alltoall(c.send, c.count, c.type, c.recv, c.count, c.type, c.comm);
}

int start_ineighbor_alltoall(Call& c) {
  return MPI_Ineighbor_alltoall(c.send, c.count, c.type, c.recv, c.count, c.type, c.comm,
                                c.requests);
}

int prepare_neighbor_alltoall(Call& c) {
  return INVAR_INIT(c, Neighbor_alltoall, c.send, c.count, c.type, c.recv, c.count, c.type, c.comm);
}

int call_neighbor_alltoall_c(Call& c) {
  return INVAR_LARGE(c, Neighbor_alltoall, c.send, c.large_count, c.type, c.recv, c.large_count,
                     c.type, c.comm);
}

}  // namespace

extern constexpr Operation kNeighborAlltoall{
    .name = "neighbor_alltoall",
    .summary = "every rank sends a block of its own to each neighbour",
    .neighbours = true,
    .missing = kNeighboursMissing,
    .chain = record::Chain::kOne,
    .buffers = kNeighboursToNeighbours,
    .call = call_neighbor_alltoall,
    .verify = my_block_of_every_neighbour,
};
extern constexpr Operation kIneighborAlltoall =
    nonblocking<start_ineighbor_alltoall>(kNeighborAlltoall, "ineighbor_alltoall");
extern constexpr Operation kNeighborAlltoallInit =
    persistent(kNeighborAlltoall, "neighbor_alltoall_init", prepare_neighbor_alltoall);
extern constexpr Operation kNeighborAlltoallLarge =
    large_counts(kNeighborAlltoall, "neighbor_alltoall_c", call_neighbor_alltoall_c);

}  // namespace invar::ops
