// What an answer says of the machine's regimes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

// One verdict is faster, the other slower.
bool opposite_winners(const ComparedCell& one, const ComparedCell& other);

// Marks the rows of the headline where another regime has another winner, unless something else is
// wrong with them. Rows of the views follow that of their pair.
void mark_other_winners(std::vector<ComparedCell>& rows);

// What follows the answer; empty where there is nothing to say: which other regime has another
// winner; that two campaigns had other shares of regimes, and what is known within the regimes.
std::string regimes_sentences(const Comparison& comparison);

// What follows from `moved`, as ReferenceChoice has it. `split`: blocks are left out all the same,
// because the reference regime was named or looked at before.
std::string moved_words(const std::string& moved, bool split);

// Where the ratios of two campaigns and the times beside them contradict each other; none if
// nowhere.
std::optional<std::string> times_warning(const std::vector<ComparedCell>& rows);
// Names headline rows whose verdict the times do not show; none: there are none. `unit`: what
// ratios are means over.
std::optional<std::string> weighs_warning(const std::vector<ComparedCell>& rows,
                                          const std::string& unit = "launch group");

}  // namespace invar::analysis
