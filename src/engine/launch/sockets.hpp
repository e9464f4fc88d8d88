// Which sockets the ranks of a launch sit on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace invar::engine {

// The socket of every rank of a communicator, known to all ranks. It is that of the CPU that the
// rank is bound to; host::kUnknownSocket where it is not bound. Collective.
std::vector<std::int32_t> find_sockets(MPI_Comm comm);

}  // namespace invar::engine
