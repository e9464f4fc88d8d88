#include "engine/launch/sockets.hpp"

#include "engine/launch/host.hpp"
#include "host/sockets.hpp"

namespace invar::engine {

std::vector<std::int32_t> find_sockets(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const std::int32_t cpu = bound_cpu();
  const std::int32_t own =
      cpu < 0 ? host::kUnknownSocket : host::socket_of_cpu(static_cast<std::uint32_t>(cpu));
  std::vector<std::int32_t> sockets(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, 1, MPI_INT32_T, sockets.data(), 1, MPI_INT32_T, comm);
  return sockets;
}

}  // namespace invar::engine
