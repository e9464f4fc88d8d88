#include "driver/prepare/windows.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "driver/clock_run.hpp"
#include "driver/run/finalize_grace.hpp"
#include "record/clock_spec.hpp"
#include "record/scheme.hpp"
#include "record/synchronisation.hpp"

namespace invar::driver {
namespace {

// SKaMPI's windows grow, whatever is written.
bool has_the_windows(const record::Cell& cell) {
  const record::Scheme* scheme = record::find_scheme(cell.scheme);
  return record::synchronisation(cell.sync).has_windows &&
         (scheme == nullptr || !scheme->growing_windows);
}

bool is_longer(const record::Cell& a, const record::Cell& b) {
  return std::tuple(a.size_bytes.value_or(0), a.ranks) <
         std::tuple(b.size_bytes.value_or(0), b.ranks);
}

// The cell whose calls take longest, for every operation, among the arm's cells with windows.
std::vector<const record::Cell*> longest_cells(const Prepared& prepared, std::uint32_t arm) {
  std::vector<const record::Cell*> longest;
  for (const record::Cell& cell : prepared.cells.cells) {
    const std::vector<std::uint32_t>& arms = prepared.cells.arms.at(cell.id);
    if (!has_the_windows(cell) || std::ranges::find(arms, arm) == arms.end()) continue;
    const auto same = std::ranges::find_if(
        longest, [&](const record::Cell* known) { return known->operation == cell.operation; });
    if (same == longest.end()) {
      longest.push_back(&cell);
    } else if (is_longer(**same, cell)) {
      *same = &cell;
    }
  }
  return longest;
}

// Why the cell's calls do not fit; empty: they do.
std::string problem_of(const Prepared& prepared, const launch::CheckedArm& arm,
                       const record::Cell& cell, std::string& remedy) {
  const design::EngineOptions& engine = prepared.campaign.engine;
  record::ClockSpec spec{.experiment = "runtime-over-time",
                         .clock = cell.clock,
                         .operation = cell.operation,
                         .size_bytes = cell.size_bytes.value_or(0),
                         .cpus = prepared.cpus,
                         .windows_s = {*engine.window_s}};
  if (cell.ppn < spec.cpus.size()) spec.cpus.resize(cell.ppn);
  launch::StartOptions options{.ranks = cell.ranks,
                               .hosts = prepared.hosts,
                               .launcher = engine.launcher,
                               .oversubscribe = engine.oversubscribe,
                               .environment = arm.environment};
  if (cell.nodes < options.hosts.size()) options.hosts.resize(cell.nodes);
  try {
    const ClockRows rows = launch_clocks(arm.profile, options, spec, finalize_grace());
    if (!rows.refused) return {};
    remedy = rows.refused->remedy;
    return rows.refused->what;
  } catch (const base::CommandError&) {
    // What fails here for another reason fails in the campaign, too, which says more about it.
    return {};
  }
}

}  // namespace

void check_windows(const Prepared& prepared) {
  const design::EngineOptions& engine = prepared.campaign.engine;
  if (!engine.window_s) return;
  base::Faults faults;
  for (std::uint32_t arm = 0; arm < prepared.arms.size(); ++arm) {
    const launch::CheckedArm& checked = prepared.arms[arm];
    if (prepared.campaign.arms.at(arm).is_program()) continue;
    for (const record::Cell* cell : longest_cells(prepared, arm)) {
      std::string remedy;
      const std::string problem = problem_of(prepared, checked, *cell, remedy);
      if (problem.empty()) continue;
      const design::Position at = engine.positions.of("window");
      faults.add({.place = prepared.place,
                  .line = at.line,
                  .column = at.column,
                  .what = "'window' = " + problem + ": " + record::cell_text(*cell) + " in '" +
                          checked.label + "' would have no valid repetition",
                  .remedy = remedy + " (leave 'window' out)"});
    }
  }
  faults.throw_if_any();
}

}  // namespace invar::driver
