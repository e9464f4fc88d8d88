// Campaigns that repeat what the user of another suite does with a machine: run the suite under one
// library, then under the next, again and again until the time is over.
#pragma once

#include "design/campaign/campaign.hpp"
#include "design/campaign/presets.hpp"

namespace invar::design {

// The cells, arms, hosts and pinning of `own`, measured by the visits of `suite` alone: a launch is
// a run of the suite with as many passes and calls as it makes by default, cells in the order
// written; libraries alternate from launch to launch; at least one launch of each, then as many as
// the budget (that of `own`) allows. `suite` has a scheme. What the suite cannot do (programs,
// virtual clocks, windows without pinning) is found by conflicts().
Campaign suite_campaign(const Campaign& own, const Preset& suite);

}  // namespace invar::design
