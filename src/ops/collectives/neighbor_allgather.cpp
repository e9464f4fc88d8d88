// Every rank gets a block from each of its neighbours, which all get the same one from it.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_neighbor_allgather(Call& c) {
  return MPI_Neighbor_allgather(c.send, c.count, c.type, c.recv, c.count, c.type, c.comm);
}

int start_ineighbor_allgather(Call& c) {
  return MPI_Ineighbor_allgather(c.send, c.count, c.type, c.recv, c.count, c.type, c.comm,
                                 c.requests);
}

int prepare_neighbor_allgather(Call& c) {
  return INVAR_INIT(c, Neighbor_allgather, c.send, c.count, c.type, c.recv, c.count, c.type,
                    c.comm);
}

int call_neighbor_allgather_c(Call& c) {
  return INVAR_LARGE(c, Neighbor_allgather, c.send, c.large_count, c.type, c.recv, c.large_count,
                     c.type, c.comm);
}

}  // namespace

extern constexpr Operation kNeighborAllgather{
    .name = "neighbor_allgather",
    .summary = "every rank sends one block to all its neighbours",
    .neighbours = true,
    .missing = kNeighboursMissing,
    .chain = record::Chain::kOne,
    .buffers = kBlockToNeighbours,
    .call = call_neighbor_allgather,
    .verify = block_of_every_neighbour,
};
extern constexpr Operation kIneighborAllgather =
    nonblocking<start_ineighbor_allgather>(kNeighborAllgather, "ineighbor_allgather");
extern constexpr Operation kNeighborAllgatherInit =
    persistent(kNeighborAllgather, "neighbor_allgather_init", prepare_neighbor_allgather);
extern constexpr Operation kNeighborAllgatherLarge =
    large_counts(kNeighborAllgather, "neighbor_allgather_c", call_neighbor_allgather_c);

}  // namespace invar::ops
