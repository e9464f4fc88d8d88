#include "design/plan/teams.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::design {
namespace {

std::vector<std::uint32_t> team_numbers(const CellsBlock& block, std::string_view key) {
  std::vector<std::uint32_t> all;
  const auto found = block.levels.find(key);
  if (found == block.levels.end()) return all;
  for (const std::string& level : found->second) {
    all.push_back(static_cast<std::uint32_t>(base::parse_u64(level).value_or(0)));
  }
  return all;
}

// Why there can be no such team here; none: there can.
std::optional<Conflict> team_conflict(const CellsBlock& block, const record::Cell& team,
                                      const Campaign& campaign, const Surroundings& surroundings) {
  const Position at = position_of_ranks(block);
  const std::string hosts = std::to_string(surroundings.hosts);
  if (team.ranks == 0 || team.nodes == 0) {
    return Conflict{at, "ranks is 0", "write 1 or more"};
  }
  if (team.nodes > surroundings.hosts) {
    return Conflict{at,
                    std::to_string(team.nodes) + " nodes, but there " +
                        (surroundings.hosts == 1 ? "is " : "are ") + hosts,
                    "write " + hosts + " or fewer, or name more hosts in [engine] hosts"};
  }
  if (team.nodes > team.ranks) {
    return Conflict{
        at,
        std::to_string(team.ranks) + " ranks cannot be on " + std::to_string(team.nodes) + " nodes",
        "write at least a rank for each node"};
  }
  if (team.ppn > surroundings.slots && !campaign.engine.oversubscribe) {
    const std::string slots = std::to_string(surroundings.slots * team.nodes);
    return Conflict{
        at,
        std::to_string(team.ranks) + " ranks need more cores than the " + slots +
            (team.nodes > 1 ? " of " + std::to_string(team.nodes) + " hosts" : " here"),
        "write " + slots +
            " or fewer; or, for tests of behaviour, --oversubscribe (race, p2p), which is "
            "oversubscribe = true, pinning = \"none\" and sync = \"dissemination\" in the [engine] "
            "of "
            "a campaign (such data get no verdicts)"};
  }
  return std::nullopt;
}

}  // namespace

TeamsOfBlock teams_of(const CellsBlock& block, const Campaign& campaign,
                      const Surroundings& surroundings) {
  const std::vector<std::uint32_t> ranks = team_numbers(block, "ranks");
  const std::vector<std::uint32_t> nodes = team_numbers(block, "nodes");
  const std::vector<std::uint32_t> ppn = team_numbers(block, "ppn");
  TeamsOfBlock found;
  const auto add = [&](std::uint32_t team_ranks, std::uint32_t team_nodes) {
    record::Cell team{.ranks = team_ranks, .nodes = team_nodes};
    team.ppn = (team_ranks + team_nodes - 1) / std::max(team_nodes, 1U);
    if (auto conflict = team_conflict(block, team, campaign, surroundings)) {
      found.conflicts.push_back(std::move(*conflict));
    } else {
      found.teams.push_back(std::move(team));
    }
  };
  if (!ranks.empty() && !nodes.empty() && !ppn.empty()) {
    found.conflicts.push_back({block.positions.of("ranks"),
                               "ranks, nodes and ppn are written, where two say it all",
                               "remove one of them"});
    return found;
  }
  if (ranks.empty()) {
    for (const std::uint32_t n : nodes.empty() ? std::vector{surroundings.hosts} : nodes) {
      for (const std::uint32_t p : ppn.empty() ? std::vector{surroundings.slots} : ppn) {
        add(n * p, n);
      }
    }
    return found;
  }
  for (const std::uint32_t r : ranks) {
    if (!nodes.empty()) {
      for (const std::uint32_t n : nodes) add(r, n);
    } else if (!ppn.empty()) {
      for (const std::uint32_t p : ppn) add(r, (r + p - 1) / p);
    } else {
      const std::uint32_t slots = std::max(surroundings.slots, 1U);
      add(r, std::min((r + slots - 1) / slots, surroundings.hosts));
    }
  }
  return found;
}

void check_teams(const Campaign& campaign, const Surroundings& surroundings,
                 const std::string& place) {
  base::Faults faults;
  std::set<std::pair<std::string, int>> told;
  for (const CellsBlock& block : campaign.cells) {
    for (const Conflict& conflict : teams_of(block, campaign, surroundings).conflicts) {
      // Blocks that were made from one option share its mistake.
      if (!told.emplace(conflict.what, conflict.at.line).second) continue;
      faults.add({.place = place,
                  .line = conflict.at.line,
                  .column = conflict.at.column,
                  .what = conflict.what,
                  .remedy = conflict.remedy});
    }
  }
  faults.throw_if_any();
}

Position position_of_ranks(const CellsBlock& block) {
  return block.positions.of("ranks",
                            block.positions.of("nodes", block.positions.of("ppn", block.at)));
}

}  // namespace invar::design
