// The control variables of the MPI library at hand (MPI_T): which there are, and what they are now.
#pragma once

#include <string>

namespace invar::engine {

// A JSON array of {"name", "type", "scope", "value", "items"}: the value as text, null where it
// cannot be read; items of an enumeration as "0=ignore". Opens and closes its own MPI_T session, so
// it must be called after MPI_Init and before MPI_Finalize: Open MPI 4.1 crashes in a
// MPI_T_finalize after MPI_Finalize, MPICH 4.0 if a session ended before MPI_Init.
std::string control_variables_json();

}  // namespace invar::engine
