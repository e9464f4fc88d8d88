// What a sentence says where the machine's regimes disagree.
#pragma once

#include <string>

#include "analysis/comparison.hpp"

namespace invar::analysis {

// Two regimes disagree about a comparison if one verdict is faster and the other slower, or if one
// is decided and each interval excludes the other's ratio.
bool regimes_disagree(const ComparedCell& one, const ComparedCell& other);

// "; the machine's regimes disagree for 8 B and 1 KiB (8 B: mpich/openmpi 1.12 at canary 0.133 us,
// 2.40 at canary 0.510 us)"; empty where they agree.
std::string regimes_clause(const Comparison& comparison);

}  // namespace invar::analysis
