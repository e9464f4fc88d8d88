// Whether two launches are alive at the same time: they meet in a shared page.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace invar::engine {

// As launch number `job` (0 or 1): attaches to the page `name` and waits for all ranks of both on
// this host, 20 s at most. Collective; true if they came on every host. Throws std::runtime_error.
bool meet(MPI_Comm comm, const std::string& name, std::uint32_t job, std::uint32_t jobs);

}  // namespace invar::engine
