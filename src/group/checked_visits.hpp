// After which visits of a launch the result is checked. Knows no MPI.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/plan.hpp"

namespace invar::group {

// For each of the rows, whether it is such a visit of `arm`: drawn from the campaign's seed with
// the probability `share` (0 to 1), and the last visit of every cell, so that a library that is
// wrong from some call on is found in the launch in which it begins. None at all where `share` is
// 0.
std::vector<bool> checked_visits(std::span<const record::PlanRow> rows, const std::string& arm,
                                 std::uint64_t seed, double share);

}  // namespace invar::group
