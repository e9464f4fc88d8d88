#include "record/p2p/cell_roles.hpp"

#include "record/p2p/levels.hpp"

namespace invar::record {

std::vector<Role> roles_of(std::span<const RoleRule> rules, Messages messages, const Cell& cell) {
  std::vector<Role> roles(cell.ranks, Role::kStandsBy);
  if (messages == Messages::kNone) {
    for (std::uint32_t rank = 0; rank < cell.ranks; ++rank) {
      roles[rank] = role_of(rules, rank, cell.ranks, cell.root);
    }
    return roles;
  }
  if (!all_parts_taken(rules, messages, cell)) return roles;
  const std::vector<RankPair> pairs = pairs_of(pattern_of(cell, messages), cell.ranks);
  for (const RankPair& pair : pairs) roles[pair.to] = Role::kAnswers;
  for (const RankPair& pair : pairs) roles[pair.from] = Role::kStarts;
  return roles;
}

LevelText lack_in_cell(Messages messages, const Cell& cell) {
  return lack_of_pattern(pattern_of(cell, messages), messages, cell.ranks);
}

bool all_parts_taken(std::span<const RoleRule> rules, Messages messages, const Cell& cell) {
  if (messages == Messages::kNone) return all_parts_taken(rules, cell.ranks, cell.root);
  return lack_in_cell(messages, cell).complaint.empty();
}

}  // namespace invar::record
