// How many groups a campaign with a fixed number of launches has: from what they cost alone, never
// from results.
#pragma once

#include <cstdint>

#include "driver/decide/decision.hpp"

namespace invar::driver {

// Groups that are no evidence about some cell: those that chose something, and the pilot where
// cells are timed in batches. The campaign has as many more.
std::uint32_t spare_groups(const store::State& state);

// How many groups the campaign asks for, with the spare ones.
design::Launches asked_launches(const Prepared& prepared, const store::State& state);

// After the pilot group: how many groups the budget allows. When these are measured: whether more
// of them fit. Before every group: whether to stop here, because it would not end within the
// budget.
Step decide_groups(const StudySoFar& so_far);

}  // namespace invar::driver
