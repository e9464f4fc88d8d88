// What a sentence says of more than two arms: which is fastest where, and by how much.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

// "Of 5 arms mpich is 1.2 to 1.8 times faster than the next for 8 B to 1 KiB, openmpi or intel 1.3
// times for 64 KiB; no difference found for 1 MiB". Where there are many cells the winners that
// matter most are named with some of their cells, and the others counted. Not empty.
std::string best_words(const Comparison& comparison, const std::vector<BestArms>& entries);

}  // namespace invar::analysis
