// The parts of an emitted platform that are the same in all of them.
#pragma once

#include <string_view>

namespace invar::platform {

// In front of the tables, and behind them.
extern const std::string_view kSourceTypes;
extern const std::string_view kSourceFunctions;

}  // namespace invar::platform
