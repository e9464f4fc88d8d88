#include "engine/launch/arm_barrier.hpp"

#include <array>

#include "engine/sync/mpi_sync.hpp"

namespace invar::engine {

void arm_barrier(MPI_Comm comm, int further_calls) {
  constexpr int kTag = 13;
  disseminate(comm, [comm](int to, int from) {
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(nullptr, 0, MPI_BYTE, from, kTag, comm, &requests[0]);
    MPI_Issend(nullptr, 0, MPI_BYTE, to, kTag, comm, &requests[1]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  });
  for (int call = 0; call < further_calls; ++call) {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
  }
}

}  // namespace invar::engine
