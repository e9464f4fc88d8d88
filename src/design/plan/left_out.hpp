// What is left out of a plan: why an arm does not measure a cell, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

// As LeftOut has both.
struct CellLack {
  std::string reason = {};  // empty: the arm measures the cell
  bool of_algorithm = false;
};

// What keeps an arm from measuring the cell. `arm`: index into Campaign::arms, of one that is not a
// program.
CellLack lack_of_arm(const Campaign& campaign, const Surroundings& surroundings, std::uint32_t arm,
                     const record::Cell& cell);

// A time in common that the cell or its run-times need, and that no arm has: nothing is left out of
// some of them, it is a contradiction.
std::vector<Conflict> clock_sync_conflicts(const Campaign& campaign, const record::Cell& cell);

}  // namespace invar::design
