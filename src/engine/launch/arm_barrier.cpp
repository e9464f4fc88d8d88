#include "engine/launch/arm_barrier.hpp"

#include <array>

namespace invar::engine {

void arm_barrier(MPI_Comm comm, int further_calls) {
  constexpr int kTag = 13;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int distance = 1; distance < ranks; distance *= 2) {
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(nullptr, 0, MPI_BYTE, (rank - distance + ranks) % ranks, kTag, comm, &requests[0]);
    MPI_Issend(nullptr, 0, MPI_BYTE, (rank + distance) % ranks, kTag, comm, &requests[1]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  for (int call = 0; call < further_calls; ++call) {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
  }
}

}  // namespace invar::engine
