// Communicators with a topology, and who sends what to whom in them.
#pragma once

#include <mpi.h>

#include <string_view>
#include <vector>

#include "ops/operation.hpp"

namespace invar::ops {

// "ring": the right neighbour and the left one, as a distributed graph. "cartesian": a periodic
// torus of two dimensions as square as the number of ranks allows, in MPI's order (down and up in
// the first dimension, then in the second). Ranks keep their numbers. With one or two ranks along a
// circle, both neighbours there are the same rank.
class Topology {
 public:
  static bool is_known(std::string_view name) { return name == "ring" || name == "cartesian"; }

  // Collective over `comm`. The new communicator returns errors.
  Topology(std::string_view name, MPI_Comm comm);
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  Topology(Topology&& other) noexcept;
  Topology& operator=(Topology&&) = delete;
  // Collective; while an exception unwinds, the communicator is left to MPI_Abort.
  ~Topology();

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  // In the order of the blocks that are sent, and of those that are received.
  [[nodiscard]] const std::vector<int>& destinations() const { return destinations_; }
  [[nodiscard]] const std::vector<Arrival>& arrivals() const { return arrivals_; }

 private:
  void make_ring(MPI_Comm comm, int rank, int ranks);
  void make_torus(MPI_Comm comm, int ranks);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> destinations_ = {};
  std::vector<Arrival> arrivals_ = {};
};

}  // namespace invar::ops
