// Who does what in a cell: by rules (operation/roles.hpp), or by its pattern where the operation
// sends messages of its own. Then a rank that sends starts, one that only receives answers, and all
// others stand by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/cell.hpp"
#include "record/operation/roles.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::record {

// The roles of all ranks of the cell. If its ranks have no such pattern, all stand by. Throws
// std::invalid_argument for a text that is not a pattern.
std::vector<Role> roles_of(std::span<const RoleRule> rules, Messages messages, const Cell& cell);

// Why the cell's ranks have no such pattern as its own (lack_of_pattern()); nothing: they have.
LevelText lack_in_cell(Messages messages, const Cell& cell);

// False where some rule but one for bystanders holds for no rank, or where there is no such pattern
// of the cell's ranks.
bool all_parts_taken(std::span<const RoleRule> rules, Messages messages, const Cell& cell);

// Whether some rank may stand by: an operation without rules and messages has all of them start.
inline bool has_roles(std::span<const RoleRule> rules, Messages messages) {
  return !rules.empty() || messages != Messages::kNone;
}

}  // namespace invar::record
