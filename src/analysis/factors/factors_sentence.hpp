// The answer to "which factors matter?" in one English sentence.
#pragma once

#include <string>

#include "analysis/factors/factors.hpp"

namespace invar::analysis {

// "allreduce 8 B"
std::string target_text(const record::Cell& cell);

// "cache and sync matter, aslr does not (within 2 %), launch is undecided: SCOPE."
std::string factors_sentence(const Factors& factors);

}  // namespace invar::analysis
