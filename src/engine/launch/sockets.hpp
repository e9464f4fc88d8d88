// Which socket a rank sits on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace invar::engine {

// The socket (physical package) of a CPU, as the system tells it; kUnknownSocket where it
// does not. `cpus_dir`: the folder that has one folder a CPU.
std::int32_t socket_of_cpu(std::uint32_t cpu,
                           const std::string& cpus_dir = "/sys/devices/system/cpu");

// Of every rank of a communicator, known to all: of the CPU that it is bound to, kUnknownSocket
// where it is not bound. Collective.
std::vector<std::int32_t> find_sockets(MPI_Comm comm);

}  // namespace invar::engine
