#include "engine/launch/sockets.hpp"

#include "base/text.hpp"
#include "engine/launch/host.hpp"

namespace invar::engine {

std::int32_t socket_of_cpu(std::uint32_t cpu, const std::string& cpus_dir) {
  const auto text =
      base::read_file(cpus_dir + "/cpu" + std::to_string(cpu) + "/topology/physical_package_id");
  if (!text) return kUnknownSocket;
  // A kernel that does not know writes -1.
  const auto socket = base::parse_u64(base::trim(*text));
  return socket ? static_cast<std::int32_t>(*socket) : kUnknownSocket;
}

std::vector<std::int32_t> find_sockets(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const std::int32_t cpu = bound_cpu();
  const std::int32_t own =
      cpu < 0 ? kUnknownSocket : socket_of_cpu(static_cast<std::uint32_t>(cpu));
  std::vector<std::int32_t> sockets(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, 1, MPI_INT32_T, sockets.data(), 1, MPI_INT32_T, comm);
  return sockets;
}

}  // namespace invar::engine
