// What limits this process: control groups (version 1 and 2), CPU affinity, resource limits.
#pragma once

#include <string>

#include "host/facts.hpp"

namespace invar::host {

// The tightest limit of the process's group and the groups above it.
Limits read_limits(const std::string& root);

}  // namespace invar::host
