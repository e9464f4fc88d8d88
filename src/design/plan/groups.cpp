// plan_groups: launch groups, rounds, blocks and turns.
#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "design/plan/balance.hpp"
#include "design/plan/families.hpp"
#include "design/plan/schedule.hpp"
#include "design/suites/suite_ways.hpp"
#include "record/scheme.hpp"

namespace invar::design {
namespace {

using DroppedCells = std::set<record::ArmCell>;

// A visit before it has its numbers.
struct Visit {
  std::uint32_t round = 0;
  std::uint32_t block = 0;
  std::uint32_t cell = 0;  // index into ResolvedCells::cells
  std::uint32_t arm = 0;   // index into Campaign::arms
};

// What a launch group measures.
struct Members {
  std::vector<std::uint32_t> cells = {};     // indices into ResolvedCells::cells
  std::vector<bool> shared = {};             // like cells: by two arms or more
  std::vector<std::uint32_t> families = {};  // like cells; empty: no cell has one
  std::vector<bool> launched = {};           // [arm]: it has a cell at all
  std::uint32_t again = 0;                   // the most of all cells
};

class Planner {
 public:
  Planner(const Campaign& campaign, const ResolvedCells& cells, const DroppedCells& dropped)
      : campaign_(campaign),
        cells_(cells),
        rows_(williams_rows(static_cast<std::uint32_t>(campaign.arms.size()))),
        has_(cells.cells.size(), std::vector<bool>(campaign.arms.size())) {
    for (std::uint32_t cell = 0; cell < cells.cells.size(); ++cell) {
      const bool own = cells.cells[cell].scheme == record::kOwnScheme;
      if (own && !campaign.analysis.own_visits) continue;
      for (const std::uint32_t arm : cells.arms.at(cell)) {
        has_[cell].at(arm) = !dropped.contains({cells.cells[cell].id, arm});
      }
    }
    if (std::ranges::any_of(cells.cells, std::not_fn(&std::string::empty), &record::Cell::family)) {
      families_ = families_of(cells.cells);
    }
  }

  // Appends the rows of the next group.
  void append(Counters& counters, std::vector<record::PlanRow>& rows) {
    const Members& members = members_of(counters.part);
    const auto row_count = static_cast<std::uint32_t>(rows_.size());
    const std::vector<std::uint32_t>& order =
        rows_[group_row(campaign_.seed, counters.group, row_count)];
    std::vector<Visit> visits = visits_by_turns(members, counters.group);
    if (campaign_.engine.pairing == "launches") visits = launch_after_launch(visits, order);
    check_room(counters, visits.size());
    std::vector<std::uint32_t> launch(campaign_.arms.size());
    for (const std::uint32_t arm : order) {
      if (members.launched[arm]) launch[arm] = counters.launch++;
    }
    std::uint32_t turn = 0;
    for (const Visit& visit : visits) {
      rows.push_back({.group = counters.group,
                      .launch = launch[visit.arm],
                      .turn = turn++,
                      .round = visit.round,
                      .block = visit.block,
                      .visit = counters.visit++,
                      .cell = cells_.cells[visit.cell].id,
                      .arm = campaign_.arms[visit.arm].label,
                      .calls = in_batch(visit.cell) ? repetitions(visit.cell) : 1,
                      .repetitions = in_batch(visit.cell) || campaign_.arms[visit.arm].is_program()
                                         ? 1
                                         : repetitions(visit.cell)});
    }
    ++counters.group;
    ++counters.part;
  }

 private:
  // Those of the last group, where all have the same.
  const Members& members_of(std::uint32_t part) {
    if (members_ && cells_.sampled.empty()) return *members_;
    std::vector<std::vector<bool>> parts;
    for (std::uint32_t number = 0; number < cells_.samples.size(); ++number) {
      parts.push_back(sizes_of_part(cells_.samples[number], number, campaign_.seed, part));
    }
    const auto is_in = [&](std::uint32_t id) {
      const auto sampled = cells_.sampled.find(id);
      return sampled == cells_.sampled.end() ||
             std::ranges::any_of(sampled->second,
                                 [&](SampledSize one) { return parts[one.sample][one.size]; });
    };
    Members members{.launched = std::vector<bool>(campaign_.arms.size())};
    for (std::uint32_t cell = 0; cell < has_.size(); ++cell) {
      const auto count = std::ranges::count(has_[cell], true);
      if (count == 0 || !is_in(cells_.cells[cell].id)) continue;
      for (std::size_t arm = 0; arm < has_[cell].size(); ++arm) {
        members.launched[arm] = members.launched[arm] || has_[cell][arm];
      }
      members.cells.push_back(cell);
      members.shared.push_back(count > 1);
      members.again = std::max(members.again, again(cell));
      if (!families_.empty()) members.families.push_back(families_[cell]);
    }
    return members_.emplace(std::move(members));
  }

  [[nodiscard]] std::vector<Block> blocks(const Members& members, const RoundPlace& place) const {
    const auto rows = static_cast<std::uint32_t>(rows_.size());
    return members.families.empty() ? round_blocks(place, campaign_.shuffled, members.shared, rows)
                                    : round_blocks_in_families(place, members.families, rows);
  }

  [[nodiscard]] std::vector<Visit> visits_by_turns(const Members& members,
                                                   std::uint32_t group) const {
    std::vector<Visit> visits;
    std::uint32_t block_number = 0;
    for (std::uint32_t round = 0; round < campaign_.rounds + members.again; ++round) {
      const RoundPlace place{.seed = campaign_.seed, .group = group, .round = round};
      for (const Block& block : blocks(members, place)) {
        const std::uint32_t cell = members.cells[block.cell];
        if (round >= campaign_.rounds && round - campaign_.rounds >= again(cell)) continue;
        for (const std::uint32_t arm : rows_[block.row]) {
          if (!has_[cell][arm]) continue;
          // A program is run once a cell and launch, however often the engine comes back to it.
          if (round > 0 && campaign_.arms[arm].is_program()) continue;
          visits.push_back({.round = round, .block = block_number, .cell = cell, .arm = arm});
        }
        ++block_number;
      }
    }
    return visits;
  }

  static std::vector<Visit> launch_after_launch(const std::vector<Visit>& visits,
                                                const std::vector<std::uint32_t>& order) {
    std::vector<Visit> ordered;
    for (const std::uint32_t arm : order) {
      std::copy_if(visits.begin(), visits.end(), std::back_inserter(ordered),
                   [&](const Visit& visit) { return visit.arm == arm; });
    }
    return ordered;
  }

  // How many visits the cell's suite may make of it again when the rounds are over. Which of them
  // it would have made, analysis knows (analysis/suites/measured_again.hpp).
  [[nodiscard]] std::uint32_t again(std::uint32_t cell) const {
    const record::Scheme* scheme = record::find_scheme(cells_.cells[cell].scheme);
    return scheme == nullptr ? 0 : scheme->again;
  }

  // A suite that times batches makes one of what are repetitions elsewhere.
  [[nodiscard]] bool in_batch(std::uint32_t cell) const {
    const record::Scheme* scheme = record::find_scheme(cells_.cells[cell].scheme);
    return scheme != nullptr && scheme->batch;
  }

  // The campaign's; of a campaign of a suite's visits alone as many as the suite makes at this
  // size, where these are fewer.
  [[nodiscard]] std::uint32_t repetitions(std::uint32_t cell) const {
    if (campaign_.analysis.own_visits) return campaign_.repetitions;
    const Preset* suite = find_preset(campaign_.analysis.method);
    if (suite == nullptr) return campaign_.repetitions;
    const record::Cell& measured = cells_.cells[cell];
    return std::min(campaign_.repetitions,
                    calls_of(*suite, measured, cells_.operation(measured.operation)));
  }

  // Numbers are 32 bits wide in plans and records.
  void check_room(const Counters& counters, std::size_t visits) const {
    if (std::numeric_limits<std::uint32_t>::max() - counters.visit < visits) {
      throw base::UserError("the plan of '" + campaign_.name + "'", "more than 4294967295 visits",
                            "take fewer launches, rounds or cells");
    }
  }

  const Campaign& campaign_;
  const ResolvedCells& cells_;
  std::vector<std::vector<std::uint32_t>> rows_;
  std::vector<std::vector<bool>> has_;        // [cell][arm]
  std::vector<std::uint32_t> families_ = {};  // of all cells; empty: no cell has one
  std::optional<Members> members_ = {};       // of the last group
};

}  // namespace

record::Plan plan_groups(const Campaign& campaign, const ResolvedCells& cells, std::uint32_t groups,
                         Counters& counters, std::span<const record::ArmCell> dropped) {
  if (campaign.arms.empty()) throw std::invalid_argument("a plan needs arms");
  Planner planner(campaign, cells, DroppedCells(dropped.begin(), dropped.end()));
  record::Plan plan{.cells = cells.cells};
  for (std::uint32_t i = 0; i < groups; ++i) planner.append(counters, plan.rows);
  return plan;
}

}  // namespace invar::design
