// How long building takes, told before it is done: from how long the same compilations took before,
// here, and from the length of their sources where there were none yet.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "launch/build/object_record.hpp"

namespace invar::launch {

// Time of each unit. `folders`: where there may be records of earlier compilations.
std::vector<double> expected_seconds(std::span<const CompiledUnit> units,
                                     const std::vector<std::filesystem::path>& folders);

// Wall time of compilations that take so long each, `jobs` at a time.
double wall_seconds(std::span<const double> seconds, std::size_t jobs);

// Wall time until the engines of all orders are built, one after the other, tried trial included.
// What several have in common is counted once. Engines that are built already take none.
double seconds_to_build(std::span<const BuildOrder> orders);

}  // namespace invar::launch
