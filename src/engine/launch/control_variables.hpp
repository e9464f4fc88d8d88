// The control variables of the MPI library at hand (MPI_T): which there are, and what they are now.
#pragma once

#include <string>

namespace invar::engine {

// A JSON array of {"name", "type", "scope", "value", "items"}: the value as text, null where it
// cannot be read; items of an enumeration as "0=ignore". Has a session of its
// own, so that it must be called after MPI_Init and before MPI_Finalize
// (algorithms/tool_session.hpp). MPICH 4.0 crashes if a session ended before MPI_Init.
std::string control_variables_json();

}  // namespace invar::engine
