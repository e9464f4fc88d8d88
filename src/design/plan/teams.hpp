// Ranks, nodes and ranks per node of a block's cells, as the keys of those names say.
#pragma once

#include <string>
#include <vector>

#include "design/plan/schedule.hpp"

namespace invar::design {

struct TeamsOfBlock {
  std::vector<record::Cell> teams = {};  // all their other levels are the usual ones
  std::vector<Conflict> conflicts = {};  // of keys that say too much, and of teams that cannot be
};

TeamsOfBlock teams_of(const CellsBlock& block, const Campaign& campaign,
                      const Surroundings& surroundings);

// Throws UserError if a block asks for ranks, nodes or ranks per node that cannot be here: that is
// known before any library is asked what it can do. Also what resolve_cells() refuses.
void check_teams(const Campaign& campaign, const Surroundings& surroundings,
                 const std::string& place);

// Where the block says how many ranks there are: at `ranks`, `nodes` or `ppn`, else at the block.
Position position_of_ranks(const CellsBlock& block);

}  // namespace invar::design
