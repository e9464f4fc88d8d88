// Whether this machine can do what the arms' factors of a launch ask for.
#pragma once

#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/campaign/hosts.hpp"

namespace invar::driver {

// Throws UserError with every level that is refused here, why, and what would help. This host
// stands for all, but for frequencies, which are set on this host alone. INVAR_SYSFS_ROOT stands
// for /sys.
void check_conditions(const design::Campaign& campaign, const std::vector<design::Host>& hosts,
                      const std::string& place);

// "/sys", or what INVAR_SYSFS_ROOT says.
std::string sysfs_root();

}  // namespace invar::driver
