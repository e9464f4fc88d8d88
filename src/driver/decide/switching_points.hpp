// Where the winner of a race changes from one size to the next: the size half way is raced, too,
// between those who win on either side, until the step is fine (docs/methods.md, "Tuning").
#pragma once

#include "driver/decide/decision.hpp"

namespace invar::driver {

bool has_switching_points(const Prepared& prepared);

// When the looks have ended and all that is planned is measured: cells of sizes between neighbours
// with different winners, and groups of these cells alone, which no group before has seen. Again
// when these are measured, as often as kMostSwitchingSteps, or as the budget allows.
Step decide_switching_points(const StudySoFar& so_far);

// Halvings of a gap.
inline constexpr std::size_t kMostSwitchingSteps = 4;
// Launch groups of the cells of a step.
inline constexpr std::uint32_t kSwitchingGroups = 5;

}  // namespace invar::driver
