// The campaign that `invar reproduce` repeats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"

namespace invar::design {

// The campaign as it is written, without the visits that other suites have in it: these get
// campaigns of their own (suite_campaign.hpp). `suites_written`: the user named suites. Throws
// UserError, naming `place`, where its visits are not ours, or where no suite can measure its arms.
Campaign repeated_campaign(const Campaign& written, bool suites_written, const std::string& place);

// Random sizes are drawn from a campaign's seed, which differs from repeat to repeat: all repeats
// get those of the campaign as it is written. `cells_of`: the cells that a campaign has on this
// machine.
Campaign with_drawn_sizes(
    Campaign campaign, const std::function<std::vector<record::Cell>(const Campaign&)>& cells_of);

}  // namespace invar::design
