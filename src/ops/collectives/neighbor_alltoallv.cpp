// Every rank sends a block of its own to each neighbour, with counts and displacements.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_neighbor_alltoallv(Call& c) {
  return MPI_Neighbor_alltoallv(c.send, c.counts, c.displacements, c.type, c.recv, c.counts,
                                c.displacements, c.type, c.comm);
}

int call_ineighbor_alltoallv(Call& c) {
  return waited(c, MPI_Ineighbor_alltoallv(c.send, c.counts, c.displacements, c.type, c.recv,
                                           c.counts, c.displacements, c.type, c.comm, c.requests));
}

int prepare_neighbor_alltoallv(Call& c) {
  return INVAR_INIT(c, Neighbor_alltoallv, c.send, c.counts, c.displacements, c.type, c.recv,
                    c.counts, c.displacements, c.type, c.comm);
}

}  // namespace

extern constexpr Operation kNeighborAlltoallv{
    .name = "neighbor_alltoallv",
    .summary =
        "every rank sends a block of its own to each neighbour, with counts and displacements",
    .neighbours = true,
    .arrays = Arrays::kCounts,
    .chain = record::Chain::kOne,
    .buffers = kNeighboursToNeighbours,
    .call = call_neighbor_alltoallv,
    .verify = my_block_of_every_neighbour,
};
extern constexpr Operation kIneighborAlltoallv =
    nonblocking(kNeighborAlltoallv, "ineighbor_alltoallv", call_ineighbor_alltoallv);
extern constexpr Operation kNeighborAlltoallvInit =
    persistent(kNeighborAlltoallv, "neighbor_alltoallv_init", prepare_neighbor_alltoallv);

}  // namespace invar::ops
