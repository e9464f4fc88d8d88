// What the MPI library that this is built with cannot do, though its mpi.h declares it: known to
// its source alone, since such a call may end the process.
#pragma once

#include <string>

#include "ops/operation.hpp"

namespace invar::ops {

// Why a call of the operation, with its form, datatype and messages chosen, would fail whatever it
// is given; empty: nothing is known against it.
std::string library_lack(const Operation& operation, const Call& call);

}  // namespace invar::ops
