// Sizes that are chosen while a campaign runs: their words, and what excludes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/arms.hpp"
#include "design/campaign/campaign.hpp"

namespace invar::design {

// "invar", "skampi", "mpptest", "breaks".
std::string_view rule_word(RefinementRule rule);
// Empty: there is no such rule.
std::optional<RefinementRule> parse_rule(std::string_view word);
std::vector<std::string> rule_words();

// What is wrong with one of them, whichever way it was written; empty: nothing.
std::optional<Complaint> adaptive_complaint(const AdaptiveSizes& asked);

// "{ adaptive = [0, 65536], tolerance = \"5%\", max = 200, rule = \"invar\" }": as TOML.
std::string adaptive_toml(const AdaptiveSizes& asked);

bool has_adaptive_sizes(const Campaign& campaign);
// By the rule: between the block's other sizes, which a fit by straight pieces needs, inside the
// intervals in which it breaks. Every launch group counts, also those that were looked at.
bool adds_at_breaks(const Campaign& campaign);
// How near sizes come at a break, and how many there may be in all, where nothing is written.
constexpr double kBreakSeparation = 0.02;
constexpr std::uint32_t kMostSizesWithBreaks = 400;

// What cannot go together with sizes that are added under way.
std::vector<Conflict> adaptive_conflicts(const Campaign& campaign);

}  // namespace invar::design
