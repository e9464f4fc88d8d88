#include "ops/call/topology.hpp"

#include <array>
#include <exception>
#include <utility>

namespace invar::ops {

Topology::Topology(std::string_view name, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (name == "cartesian") {
    make_torus(comm, ranks);
  } else {
    make_ring(comm, rank, ranks);
  }
  if (comm_ != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

// Sent to the right first, received from the left first: block k is block k of its sender.
void Topology::make_ring(MPI_Comm comm, int rank, int ranks) {
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  destinations_ = {right, left};
  arrivals_ = {{.source = left, .block = 0}, {.source = right, .block = 1}};
  const std::array<int, 2> sources{left, right};
  MPI_Dist_graph_create_adjacent(comm, 2, sources.data(), MPI_UNWEIGHTED, 2, destinations_.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm_);
}

void Topology::make_torus(MPI_Comm comm, int ranks) {
  std::array<int, 2> lengths{};
  const std::array<int, 2> periodic{1, 1};
  MPI_Dims_create(ranks, 2, lengths.data());
  MPI_Cart_create(comm, 2, lengths.data(), periodic.data(), 0, &comm_);
  if (comm_ == MPI_COMM_NULL) return;
  for (int dimension = 0; dimension < 2; ++dimension) {
    int down = 0;
    int up = 0;
    MPI_Cart_shift(comm_, dimension, 1, &down, &up);
    destinations_.insert(destinations_.end(), {down, up});
    // What comes from below was sent upwards.
    arrivals_.push_back({.source = down, .block = 2 * dimension + 1});
    arrivals_.push_back({.source = up, .block = 2 * dimension});
  }
}

Topology::Topology(Topology&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      destinations_(std::move(other.destinations_)),
      arrivals_(std::move(other.arrivals_)) {}

Topology::~Topology() {
  if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

}  // namespace invar::ops
