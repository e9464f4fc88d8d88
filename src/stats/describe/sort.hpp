#pragma once

#include <cstdint>
#include <vector>

namespace invar::stats {

/// Sorts ascending in linear time (by digits of 11 bits, only those in which values differ), for
/// samples of 10^7 times in picoseconds. `scratch` is reused memory; its contents are lost.
void sort_integers(std::vector<std::int64_t>& values, std::vector<std::int64_t>& scratch);

}  // namespace invar::stats
