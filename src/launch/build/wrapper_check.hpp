// A first look at a compiler wrapper: what is wrong with it is told in a second, not after a
// minute of building.
#pragma once

#include "launch/build/build_order.hpp"

namespace invar::launch {

// Compiles and links a few lines of C++20 that call MPI, with the engine's flags. Throws UserError
// that tells what `mpicxx` is not: no wrapper of an MPI library (no mpi.h), no compiler of C++20,
// or one that does not link C++ and MPI.
void check_wrapper(const BuildOrder& order);

}  // namespace invar::launch
