// A campaign of a file, asked which of its factors matter.
#pragma once

#include <string>

#include "design/campaign/campaign.hpp"

namespace invar::design {

// Throws UserError, naming `place`, where the campaign may end by what it finds.
Campaign factors_campaign(Campaign campaign, const std::string& place);

}  // namespace invar::design
