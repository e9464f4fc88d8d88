// Directories in which a driver was killed before they were a campaign's.
#pragma once

#include <filesystem>

namespace invar::store {

// A manifest is there, or its copy: what CampaignDir::create() writes last.
bool holds_campaign(const std::filesystem::path& dir);

// Takes away a directory that a driver was killed in while it made it: nothing is measured there.
// What is not there is in order. Throws UserError where somebody is at work on it, and where it
// holds anything that is not of a start.
void remove_unborn(const std::filesystem::path& dir);

}  // namespace invar::store
