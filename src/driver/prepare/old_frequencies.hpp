// What the CPUs' frequencies were before a campaign set them, in a file of its directory, so that
// they are put back even where the driver that has set them was killed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/frequency.hpp"

namespace invar::driver {

// Writes the file, durably, before anything is set. What an earlier driver could not put back is
// kept: that is what was there before. Throws CommandError if it cannot be written.
void keep_old_frequencies(const std::filesystem::path& campaign_dir,
                          const host::OldSettings& before);

// Puts back what the file says and removes it. What could not be put back is returned and stays in
// the file. Nothing is done where there is no file of this host, and nothing but removing it where
// the host has started anew since.
std::vector<std::string> put_back_frequencies(const std::filesystem::path& campaign_dir,
                                              const std::string& sys);

}  // namespace invar::driver
