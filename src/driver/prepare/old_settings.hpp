// What a host's settings (frequencies, huge pages, NUMA balancing) were before a campaign set them,
// in a file of its directory, so that they are put back even where the driver that has set them was
// killed: by the next driver of the directory, or by the next start of any campaign of this user,
// which finds the directory in a list below $INVAR_HOME.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/settings.hpp"

namespace invar::driver {

// Writes the file, durably, before anything is set. What an earlier driver could not put back is
// kept: that is what was there before. Throws CommandError if it cannot be written, and UserError
// where another campaign that runs has set the same files: what it found there nobody else knows.
void keep_old_settings(const std::filesystem::path& campaign_dir, const host::SettingTexts& before);

// Puts back what the file says and removes it. What could not be put back is returned and stays in
// the file. Nothing is done where there is no file of this host, and nothing but removing it where
// the host has started anew since.
std::vector<std::string> put_back_settings(const std::filesystem::path& campaign_dir,
                                           const host::HostRoots& roots);

// The same for all directories of the list whose drivers are gone; of a directory that is gone,
// too, from what the list says of it.
std::vector<std::string> put_back_left_settings(const host::HostRoots& roots);

}  // namespace invar::driver
