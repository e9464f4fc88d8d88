// What an answer says of the machine's regimes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

// Two regimes disagree about a comparison if one verdict is faster and the other slower, or if one
// is decided and each interval excludes the other's ratio.
bool regimes_disagree(const ComparedCell& one, const ComparedCell& other);

// Marks the rows over everything whose regimes disagree, unless something else is wrong with them.
// Rows of the regimes follow those of their cell.
void mark_disagreements(std::vector<ComparedCell>& rows);

// What follows the answer; empty where there is nothing to say. "The machine's regimes disagree for
// 8 B: mpich took 1.12 times as long as openmpi at canary 0.133 us, 2.40 times at canary 0.510 us."
// Of two campaigns whose regimes had other shares: that, and what is known within the regimes.
std::string regimes_sentences(const Comparison& comparison);

// Where the ratios of two campaigns and the times beside them contradict each other; none if
// nowhere.
std::optional<std::string> times_warning(const std::vector<ComparedCell>& rows);

}  // namespace invar::analysis
