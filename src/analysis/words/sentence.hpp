// The answer in one English sentence.
#pragma once

#include <string>

#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

// From everything else in the comparison: arms, rows, best arms, scope, method. Sizes are condensed
// ("8 B to 1 KiB"), many cells are counted, and undecided is never called equal.
std::string sentence_of(const Comparison& comparison);

}  // namespace invar::analysis
