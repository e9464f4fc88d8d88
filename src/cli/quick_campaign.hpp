// Campaigns that come from options and not from a file: race, and some of clocks.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "design/campaign/campaign.hpp"
#include "driver/prepare/prepare.hpp"

namespace invar::cli {

// They are asked for one answer: as many groups as the budget allows, and enough blocks in each
// that its start-up is not all of its cost.
constexpr design::Launches kQuickLaunches{.min = 3, .max = 200};
std::uint32_t quick_rounds(std::size_t cells);

// All faults of the arguments at once: what `take` throws is added to `faults`.
template <typename Take>
void collect(base::Faults& faults, Take take) {
  try {
    take();
  } catch (const base::UserError& error) {
    for (const base::Fault& fault : error.faults()) faults.add(fault);
  }
}

// As written, or drawn from the time if nothing is written.
std::uint64_t seed_of(const std::string& option, const std::string& text);

// "2,4": levels of a factor, by the key that it has in a campaign.
void take_levels(const char* key, const std::string& option, const std::string& text,
                 design::Levels& levels);

// Throws UserError naming every cell that fewer than two arms can measure.
void refuse_lonely_cells(const driver::Prepared& prepared, const std::string& place);

}  // namespace invar::cli
