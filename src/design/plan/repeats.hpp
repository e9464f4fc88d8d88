// Blocks that are measured once more because something disturbed the machine.
#pragma once

#include <cstdint>
#include <span>

#include "record/plan.hpp"

namespace invar::design {

// The plan with one round more in `group`, its last: a block of each of `cells` (Cell::id; a cell
// that stands twice gets two) and of all cells of their families, by the arms that measure the cell
// in that group, in the reverse of their order in the cell's last block there. Rows of a repeated
// block are known by their round, which no other group has (beyond the campaign's rounds); their
// visits enter the estimate as all others do. With `launch_after_launch` (pairing "launches") each
// launch gets them at its end. Later visits are numbered anew. Cells that the group does not
// measure are left out. Throws std::invalid_argument if the plan does not have the group.
record::Plan with_repeats(record::Plan plan, std::uint32_t group,
                          std::span<const std::uint32_t> cells, bool launch_after_launch);

}  // namespace invar::design
