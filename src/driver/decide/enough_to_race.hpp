// The guidelines that `invar tune --cells violated` measures first are there to find something to
// race: once they have, and had their share of the budget, the race begins.
#pragma once

#include <vector>

#include "driver/decide/decision.hpp"

namespace invar::driver {

// Ends the looks where one has found a violation and the next group would go beyond the guidelines'
// share of the whole budget (design/recipes/tune_budget.hpp), of which the campaign's own is
// the most that they may have.
Step decide_enough_to_race(const StudySoFar& so_far);

// All decisions, with this one where it overrules the looks: for the driver of that campaign. Who
// goes on with it without (`run --resume`) measures it to the end of its own budget.
std::vector<Decision> decisions_until_something_races();

}  // namespace invar::driver
