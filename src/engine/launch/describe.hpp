// What an engine says of itself and of the library that it was built with. Profiles are made of it,
// and the first launch of every arm stores it.
#pragma once

#include <string>

namespace invar::engine {

// Raised when the engine's command line or launch.spec change in a way that an older driver does
// not understand.
constexpr int kEngineFormat = 3;

// One JSON object: format, compiler, flags, the mpi.h that it was compiled with, and all operations
// with what record::OperationInfo holds. Needs no MPI_Init.
std::string describe_json();

// One JSON object: version strings, MPI_Wtime's facts, and with `variables` every control variable
// of MPI_T (name, type, scope, value as text, items of an enumeration). After MPI_Init, before
// MPI_Finalize; not collective.
std::string library_json(bool variables);

// `invar-engine --probe FILE`: rank 0 writes {"ranks", "engine", "library", "mapped"} to FILE.
// Collective over MPI_COMM_WORLD, after MPI_Init. Returns the exit status: 0, or 3 if an exchange
// between the ranks gives a wrong result or the file cannot be written.
int probe(const std::string& file);

}  // namespace invar::engine
