// How long a launch may take to end after all that it has to tell is written.
#pragma once

#include <chrono>

namespace invar::driver {

// What a launch has measured is whole before it comes to MPI_Finalize, from which some libraries do
// not return (MPICH 4.0 over UCX between hosts). The variable INVAR_FINALIZE_GRACE_S takes the
// place of the usual 10 s: tests with a library that never returns need not wait. Throws UserError
// where it is not a number of seconds.
std::chrono::seconds finalize_grace();

}  // namespace invar::driver
