// Whether this machine has what cells ask for that walk over memory: widths of loads, NUMA nodes,
// pages, policies of the scheduler.
#pragma once

#include <string>

#include "driver/prepare/prepare.hpp"
#include "host/settings.hpp"

namespace invar::driver {

// Throws UserError with every level that is refused here, why, and what would help, each where the
// campaign writes it. This host stands for all. Nothing is changed on it.
void check_memory_levels(const Prepared& prepared, const host::HostRoots& roots,
                         const std::string& place);

}  // namespace invar::driver
