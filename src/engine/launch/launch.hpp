// One launch of the engine: everything between MPI_Init and MPI_Finalize.
#pragma once

#include <mpi.h>

#include <string>

#include "record/launch_spec.hpp"

namespace invar::engine {

// `dir` holds launch.spec (already read as `spec`) and visits.csv, and gets the raw data. Throws
// base::CommandError, GroupLost or std::runtime_error; the caller ends the job then.
void run_launch(MPI_Comm world, const std::string& dir, const record::LaunchSpec& spec);

}  // namespace invar::engine
