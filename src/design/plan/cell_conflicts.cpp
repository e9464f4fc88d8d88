#include "design/plan/cell_conflicts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/text.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/plan/teams.hpp"
#include "design/suites/suite_ways.hpp"
#include "record/launch_spec.hpp"

namespace invar::design {
namespace {

// A group that takes longer than days is a typing mistake.
constexpr std::uint64_t kMaxVisitsPerGroup = 10'000'000;

// Why none of these cells is one that the suite has a benchmark of, with what would be; neither:
// some is.
record::LevelText lack_of_benchmark(const Preset& suite, const ResolvedCells& resolved) {
  std::vector<std::string> operations;
  std::string lack;
  for (const record::Cell& cell : resolved.cells) {
    const record::OperationInfo& info = resolved.operation(cell.operation);
    const std::optional<SuiteWay> way = way_of(suite, info);
    if (way) {
      const std::string among = lack_in_suite(*way, info, cell);
      if (among.empty()) return {};
      const bool waits = cell.pending != "none" || cell.unexpected != "none";
      if (lack.empty()) {
        lack = among + (waits ? "" : ", and pattern \"" + cell.pattern + "\" more");
      }
    }
    if (std::ranges::find(operations, cell.operation) == operations.end()) {
      operations.push_back(cell.operation);
    }
  }
  const std::string name(suite.name);
  if (!lack.empty()) {
    return {.complaint = name + " can measure none of these cells its way: " + lack,
            .remedy = "write pattern = \"distance:1\" without pending and unexpected, or leave " +
                      name + " out"};
  }
  std::vector<std::string> known;
  for (const record::OperationInfo& info : message_operations()) {
    if (way_of(suite, info)) known.push_back(info.name);
  }
  return {.complaint = name + " has no benchmark of " + base::first_items(operations, 3, ", "),
          .remedy = "leave it out, or measure " +
                    (known.empty() ? "a collective" : base::join(known, ", ")) + " beside them"};
}

void add_own_visits(const Campaign& campaign, const ResolvedCells& resolved,
                    std::vector<Conflict>& found) {
  const bool all_own =
      std::all_of(resolved.cells.begin(), resolved.cells.end(),
                  [](const auto& cell) { return cell.scheme == record::kOwnScheme; });
  if (campaign.analysis.own_visits || !all_own) return;
  const Preset* suite = find_preset(campaign.analysis.method);
  // Then it is said of the preset.
  if (suite != nullptr && !lack_of_benchmark(*suite, resolved).complaint.empty()) return;
  found.push_back({campaign.analysis.positions.of("own-visits"),
                   campaign.analysis.method +
                       " can measure none of these cells its way: it knows warm caches only",
                   "write cache = \"warm\", or leave " + campaign.analysis.method + " out"});
}

// Whoever names a suite wants its numbers, and would look for them in vain.
void add_unknown_to_suites(const Campaign& campaign, const ResolvedCells& resolved,
                           std::vector<Conflict>& found) {
  if (resolved.cells.empty()) return;
  for (const std::string& name : campaign.analysis.presets) {
    const Preset* suite = find_preset(name);
    if (suite == nullptr) continue;
    record::LevelText lack = lack_of_benchmark(*suite, resolved);
    if (lack.complaint.empty()) continue;
    found.push_back({campaign.analysis.positions.of("presets"), std::move(lack.complaint),
                     std::move(lack.remedy)});
  }
}

void add_visits(const Campaign& campaign, const ResolvedCells& resolved,
                std::vector<Conflict>& found) {
  double cells = 0;  // that a launch group has, about, times their arms
  for (std::uint32_t cell = 0; cell < resolved.arms.size(); ++cell) {
    const auto sampled = resolved.sampled.find(cell);
    const bool in_all = sampled == resolved.sampled.end();
    const std::uint32_t parts =
        in_all ? 1 : resolved.samples.at(sampled->second.front().sample).parts;
    cells += static_cast<double>(resolved.arms[cell].size()) / parts;
  }
  const auto visits = static_cast<std::uint64_t>(std::ceil(cells)) * campaign.rounds;
  if (visits > kMaxVisitsPerGroup) {
    found.push_back({{},
                     "a launch group would have " + std::to_string(visits) + " visits",
                     "take fewer rounds or cells, or several campaigns"});
  }
}

// Above so many ranks what single ranks take is kept only where it is asked for.
void add_suites(const Campaign& campaign, const ResolvedCells& resolved,
                std::vector<Conflict>& found) {
  if (campaign.from_sealed_text.yes) return;  // record_level() keeps it
  const bool need_ranks = any_needs_ranks(campaign.analysis.presets);
  std::uint32_t most = 0;
  for (const record::Cell& cell : resolved.cells) most = std::max(most, cell.ranks);
  if (!need_ranks || campaign.engine.record != "auto" || most <= record::kSuitesPerRankUpTo) {
    return;
  }
  found.push_back(
      {campaign.analysis.positions.of("presets"),
       "suites report what single ranks take, which is not kept of " + std::to_string(most) +
           " ranks unless it is asked for",
       "write record = \"per-rank\" into [engine] (32 bytes a rank and repetition), or leave "
       "presets out"});
}

}  // namespace

std::vector<Conflict> world_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                      std::span<const std::size_t> block_of_cell) {
  std::vector<Conflict> found;
  if (!any_has_level(campaign, "communicator", kWorldCommunicator)) return found;
  std::uint32_t nodes = 1;
  std::uint32_t ppn = 1;
  for (const record::Cell& cell : resolved.cells) {
    nodes = std::max(nodes, cell.nodes);
    ppn = std::max(ppn, cell.ppn);
  }
  const std::string other = ", or use communicator \"dup\"";
  for (std::size_t i = 0; i < resolved.cells.size(); ++i) {
    const record::Cell& cell = resolved.cells[i];
    const CellsBlock& block = campaign.cells[block_of_cell[i]];
    if (cell.ranks != nodes * ppn) {
      found.push_back({position_of_ranks(block),
                       "communicator 'world' has all " + std::to_string(nodes * ppn) +
                           " ranks of a launch, and a cell of " + std::to_string(cell.ranks) +
                           " cannot be measured on it",
                       "give all cells as many ranks" + other});
    }
    const bool moves = cell.mapping != record::Cell().mapping && cell.nodes > 1;
    if (moves || cell.rank_order != record::Cell().rank_order) {
      found.push_back({block.positions.of(moves ? "mapping" : "rank-order", block.at),
                       "communicator 'world' has its ranks in the order in which they are started",
                       "leave " + std::string(moves ? "mapping" : "rank-order") + " out" + other});
    }
  }
  return found;
}

std::vector<Conflict> cell_conflicts(const Campaign& campaign, const ResolvedCells& resolved) {
  std::vector<Conflict> found;
  add_own_visits(campaign, resolved, found);
  add_unknown_to_suites(campaign, resolved, found);
  add_visits(campaign, resolved, found);
  add_suites(campaign, resolved, found);
  return found;
}

}  // namespace invar::design
