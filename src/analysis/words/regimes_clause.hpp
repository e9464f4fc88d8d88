// What an answer says of the machine's regimes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// "regimes of the machine: canary 0.13 us (66 % of visits; HELD), canary 0.51 us (34 % of visits)":
// `held` is what is of the reference regime alone. Where there are no canaries why, and empty where
// there was one regime. `campaigns`: the two that have shares (Regime::campaign_shares).
std::string regimes_line(const Regimes& regimes, const std::optional<ReferenceRegime>& reference,
                         std::string_view held, std::span<const std::string> campaigns = {});

// "the machine was in 2 regimes (canary 0.13 us to canary 0.51 us), CONSEQUENCE": nothing takes
// them apart. There are several; a doubt where they are far apart.
Warning mixed_regimes_warning(const Regimes& regimes, const std::string& consequence);

// The same where each regime has too few launch groups for an answer of its own: none was left out.
Warning untold_regimes_warning(const Regimes& regimes);

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
