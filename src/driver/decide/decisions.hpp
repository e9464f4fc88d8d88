// All decisions that are made between launch groups.
#pragma once

#include <span>

#include "driver/decide/decision.hpp"

namespace invar::driver {

// In the order in which they are asked before every group: each sees what those before it decided.
// A new one is a file of this folder and a row here.
std::span<const Decision> all_decisions();

}  // namespace invar::driver
