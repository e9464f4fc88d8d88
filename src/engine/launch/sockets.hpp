// Which sockets the ranks of a launch sit on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace invar::engine {

// Of every rank of a communicator, known to all: of the CPU that it is bound to,
// host::kUnknownSocket where it is not bound. Collective.
std::vector<std::int32_t> find_sockets(MPI_Comm comm);

}  // namespace invar::engine
