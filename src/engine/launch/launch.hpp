// One launch of the engine: everything between MPI_Init and MPI_Finalize.
#pragma once

#include <mpi.h>

#include <string>

#include "record/launch_spec.hpp"

namespace invar::engine {

// `dir` holds launch.spec (already read as `spec`) and visits.csv, and gets the raw data. Throws
// base::CommandError, GroupLost or std::runtime_error; the caller ends the job then. `bound_late`:
// ranks were bound after MPI_Init only, so that the library's threads and memory may be elsewhere.
void run_launch(MPI_Comm world, const std::string& dir, const record::LaunchSpec& spec,
                bool bound_late = false);

}  // namespace invar::engine
