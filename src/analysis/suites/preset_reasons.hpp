// Why suites report different numbers of the same cells, as far as these data show it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/suites/preset_values.hpp"

namespace invar::analysis {

// Sentences, each with what it looks like here; nothing that amounts to less than 5 %. `arms`:
// indices of the data.
std::vector<std::string> preset_reasons(const PresetValues& values,
                                        std::span<const design::Preset* const> suites,
                                        std::span<const std::uint32_t> arms);

}  // namespace invar::analysis
