// What bodies that take their way by hosts know before the call.
#pragma once

#include "ops/mockups/bodies/body.hpp"

namespace invar::ops::body {

struct Hosts {
  Group all;
  Group host;  // the ranks of this host, in their order; host.rank is this rank's place there
  // By leaders: the first rank of every host, null on the others. By lanes: the ranks that have
  // this rank's place on their hosts. In the order of the hosts.
  Group across;
  int number = 0;                 // of this host; hosts in the order of their first ranks
  const int* host_of = nullptr;   // number of every rank's host
  const int* place_of = nullptr;  // and its place there
  // By leaders, where the ranks of each host follow one another: the blocks of all ranks of a host.
  Shares blocks = {};
  // By lanes: a block of a lane, from one host's to the next one's; and all of a lane's blocks, one
  // place's behind the other's. MPI_DATATYPE_NULL by leaders.
  MPI_Datatype lane_block = MPI_DATATYPE_NULL;
  MPI_Datatype lane_blocks = MPI_DATATYPE_NULL;

  [[nodiscard]] bool leads() const { return host.rank == 0; }
  [[nodiscard]] bool beside(int root) const { return number == host_of[root]; }
  // Elements in front of the blocks of this host's ranks.
  [[nodiscard]] std::size_t begin() const {
    return static_cast<std::size_t>(blocks.displacements[number]);
  }
};

}  // namespace invar::ops::body
