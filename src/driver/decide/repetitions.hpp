// Predicted repetitions: how many are enough follows from what the pilot group measured, and is
// written into the plan of the groups after it (docs/methods.md, "How many repetitions").
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "driver/decide/decision.hpp"
#include "driver/prepare/prepare.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// The name of this decision in its DecidedLine.
constexpr std::string_view kRepetitionsDecision = "repetitions";

// The campaign says `repetitions = { predict = ... }`, and is not made to find out itself: then
// every launch measures the range's most.
bool predicts_repetitions(const Prepared& prepared);

// The repetitions of a visit, by cell, as decided. Empty: nothing is decided as yet, or no cell has
// fewer than the campaign's. Throws UserError where what was decided cannot be read.
std::map<std::uint32_t, std::uint32_t> decided_repetitions(const store::State& state);

// What a group takes that has these decisions before it: of fewer repetitions than the pilot, or
// without what was not chosen.
double seconds_of_next(const StudySoFar& so_far, const store::State& decided);

// What says that nothing is to be predicted, because the plan was given.
store::DecidedLine given_repetitions();

// After the first group that is timed as all others will be (the pilot; where cells are timed in
// batches, the next one): each cell's largest number over all arms, as visits' shares, and a plan
// with them. That group keeps all that it measured, and so judges as the others do.
Step decide_repetitions(const StudySoFar& so_far);

}  // namespace invar::driver
