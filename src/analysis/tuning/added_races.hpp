// Races that were born under way, at sizes between two that have different winners: what the
// driver's decision keeps of them, and what an answer reads of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "store/manifest/manifest.hpp"

namespace invar::analysis {

// Name of the decision (store::DecidedLine::decision).
constexpr std::string_view kSwitchingDecision = "switching-points";

// A JSON object: the line's `fields`.
std::string added_races_text(std::span<const design::RaceBlock> races);

// Those of all decisions of that name, in their order. Throws UserError where what was decided
// cannot be read.
std::vector<design::RaceBlock> added_races(std::span<const store::DecidedLine> decided);

}  // namespace invar::analysis
