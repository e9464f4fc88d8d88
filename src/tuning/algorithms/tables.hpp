// The rows of each library, in the order of its numbers or of its own list: from the files *.def.
#pragma once

#include <span>
#include <vector>

#include "tuning/algorithm.hpp"

namespace invar::tuning {

std::span<const LibraryAlgorithm> open_mpi_algorithms();
std::span<const LibraryAlgorithm> mpich_algorithms();
// Presets have numbers and no names, so their rows are made from how many there are.
std::vector<LibraryAlgorithm> intel_algorithms();

}  // namespace invar::tuning
