// Whether this machine can do what the arms' factors of a launch ask for.
#pragma once

#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/campaign/hosts.hpp"
#include "design/factors/launch_factors.hpp"
#include "host/settings.hpp"

namespace invar::driver {

// Throws UserError with every level that is refused here, why, and what would help. This host
// stands for all, but for its settings (frequencies, huge pages), which are set on this host alone.
// INVAR_SYSFS_ROOT stands for /sys, INVAR_PROCFS_ROOT for /proc.
void check_conditions(const design::Campaign& campaign, const std::vector<design::Host>& hosts,
                      const std::string& place);

// "/sys", or what INVAR_SYSFS_ROOT says.
std::string sysfs_root();

// The same, with "/proc" or what INVAR_PROCFS_ROOT says.
host::HostRoots host_roots();

// The setting of a factor that is set from outside the ranks. Throws std::invalid_argument for
// kNothing.
host::HostSetting setting_of(design::FromOutside outside);

}  // namespace invar::driver
