// Reductions of simulated ranks take the time that the arm says
// (record/operation/reduction_cost.hpp).
#pragma once

#include <mpi.h>

namespace invar::ops {

// The same reduction; under a simulator whose arm says what reductions take, one that takes it.
// What this cannot wrap (operators of users) stays as it is. Throws base::UserError for costs that
// cannot be read. After MPI_Init.
MPI_Op with_simulated_cost(MPI_Op reduction);

}  // namespace invar::ops
