// Where a campaign chooses sizes: the cells that differ in their size alone.
#pragma once

#include <cstdint>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

// One combination of all other levels, with the cells that it has by now.
struct AdaptivePlace {
  AdaptiveSizes asked = {};
  std::uint64_t element_bytes = 1;  // sizes are its multiples
  // Cell::id, ascending by size, of those between both ends; also those that were added.
  std::vector<std::uint32_t> cells = {};
};

// In the order of the blocks, then of the places' first cells. Follows from the campaign and its
// cells alone, whether these were resolved or added.
std::vector<AdaptivePlace> adaptive_places(const Campaign& campaign, const ResolvedCells& resolved);

// What cannot be chosen on: cells of families, because those that are added would stand in none;
// ranges that overlap; levels that depend on the size.
std::vector<Conflict> adaptive_place_conflicts(const Campaign& campaign,
                                               const ResolvedCells& resolved);

}  // namespace invar::design
