// plan_groups: launch groups, rounds, blocks and turns.
#include <algorithm>
#include <limits>
#include <map>
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

class Planner {
 public:
  Planner(const Campaign& campaign, const ResolvedCells& cells, const DroppedCells& dropped)
      : campaign_(campaign),
        cells_(cells),
        rows_(williams_rows(static_cast<std::uint32_t>(campaign.arms.size()))),
        has_(cells.cells.size(), std::vector<bool>(campaign.arms.size())),
        launched_(campaign.arms.size()) {
    for (std::uint32_t cell = 0; cell < cells.cells.size(); ++cell) {
      std::size_t count = 0;
      const bool own = cells.cells[cell].scheme == record::kOwnScheme;
      if (own && !campaign.analysis.own_visits) continue;
      for (const std::uint32_t arm : cells.arms.at(cell)) {
        if (dropped.contains({cells.cells[cell].id, arm})) continue;
        has_[cell].at(arm) = true;
        launched_[arm] = true;
        ++count;
      }
      if (count == 0) continue;
      measured_.push_back(cell);
      shared_.push_back(count > 1);
      again_ = std::max(again_, again(cell));
    }
    if (std::ranges::all_of(cells.cells, &std::string::empty, &record::Cell::family)) return;
    const std::vector<std::uint32_t> all = families_of(cells.cells);
    for (const std::uint32_t cell : measured_) families_.push_back(all[cell]);
  }

  // Appends the rows of the next group.
  void append(Counters& counters, std::vector<record::PlanRow>& rows) const {
    const auto row_count = static_cast<std::uint32_t>(rows_.size());
    const std::vector<std::uint32_t>& order =
        rows_[group_row(campaign_.seed, counters.group, row_count)];
    std::vector<Visit> visits = visits_by_turns(counters.group);
    if (campaign_.engine.pairing == "launches") visits = launch_after_launch(visits, order);
    check_room(counters, visits.size());
    std::vector<std::uint32_t> launch(campaign_.arms.size());
    for (const std::uint32_t arm : order) {
      if (launched_[arm]) launch[arm] = counters.launch++;
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
  }

 private:
  [[nodiscard]] std::vector<Block> blocks(const RoundPlace& place) const {
    const auto rows = static_cast<std::uint32_t>(rows_.size());
    return families_.empty() ? round_blocks(place, campaign_.shuffled, shared_, rows)
                             : round_blocks_in_families(place, families_, rows);
  }

  [[nodiscard]] std::vector<Visit> visits_by_turns(std::uint32_t group) const {
    std::vector<Visit> visits;
    std::uint32_t block_number = 0;
    for (std::uint32_t round = 0; round < campaign_.rounds + again_; ++round) {
      for (const Block& block : blocks({.seed = campaign_.seed, .group = group, .round = round})) {
        const std::uint32_t cell = measured_[block.cell];
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
  std::vector<std::vector<bool>> has_;  // [cell][arm]
  std::vector<bool> launched_;          // [arm]: it has a cell at all
  std::vector<std::uint32_t> measured_ = {};
  std::vector<bool> shared_ = {};             // like measured_: by two arms or more
  std::uint32_t again_ = 0;                   // the most of all cells
  std::vector<std::uint32_t> families_ = {};  // like measured_; empty: no cell has one
};

}  // namespace

record::Plan plan_groups(const Campaign& campaign, const ResolvedCells& cells, std::uint32_t groups,
                         Counters& counters, std::span<const record::ArmCell> dropped) {
  if (campaign.arms.empty()) throw std::invalid_argument("a plan needs arms");
  const Planner planner(campaign, cells, DroppedCells(dropped.begin(), dropped.end()));
  record::Plan plan{.cells = cells.cells};
  for (std::uint32_t i = 0; i < groups; ++i) planner.append(counters, plan.rows);
  return plan;
}

}  // namespace invar::design
