// A decision that no campaign needs, for tests of what every decision may do: it reads what was
// measured, adds a cell, gives groups cells of their own, and names the groups that do not judge.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "driver/decide/added_cells.hpp"
#include "driver/decide/decisions.hpp"
#include "driver/decide/plans.hpp"

namespace invar::driver::test {

constexpr std::uint32_t kGroupsThatChoose = 2;

// Mean of the first arm's local times by cell.
inline std::vector<double> mean_times(const store::Data& data) {
  std::vector<double> sums(data.cells.size());
  std::vector<double> counts(data.cells.size());
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        for (const record::Timing& timing : visit.records) {
          sums[visit.line.cell] += static_cast<double>(timing.local_max_ps);
          ++counts[visit.line.cell];
        }
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= std::max(1.0, counts[i]);
  return sums;
}

// A cell of this one is added, too, where it is described.
constexpr const char* kOtherOperation = "barrier";

// After two complete groups: the size half way between the two sizes where times grow most. The
// next group measures what was added alone, then come groups of everything, until the campaign's
// least number judges the two sizes as well.
inline Step half_way(const StudySoFar& so_far) {
  const auto& cells = so_far.prepared.cells;
  if (so_far.state.ended || so_far.groups_complete < kGroupsThatChoose) return {};
  if (!so_far.state.decided.empty()) return {};
  const store::Data& data = so_far.measured();
  const std::vector<double> times = mean_times(data);
  std::uint32_t steepest = 0;
  for (std::uint32_t i = 0; i + 1 < cells.cells.size(); ++i) {
    if (times[i + 1] / times[i] > times[steepest + 1] / times[steepest]) steepest = i;
  }
  store::AddedCell added{.cell = cells.cells[steepest]};
  added.cell.id = static_cast<std::uint32_t>(cells.cells.size());
  added.cell.size_bytes = (*added.cell.size_bytes + *cells.cells[steepest + 1].size_bytes) / 8 * 4;
  for (const std::uint32_t arm : cells.arms[steepest]) {
    added.arms.push_back(so_far.prepared.campaign.arms[arm].label);
  }
  store::DecidedLine line{.why = "times grow most there",
                          .not_judging = {{.groups = {}, .cells = {steepest, steepest + 1}}},
                          .added = {added},
                          .fields = "{\"after\":" + std::to_string(steepest) + "}"};
  if (cells.operations.at(0).contains(kOtherOperation)) {
    store::AddedCell other{.cell = {.id = added.cell.id + 1, .operation = kOtherOperation},
                           .arms = added.arms};
    line.added.push_back(std::move(other));
  }
  for (const store::Group& group : data.groups) line.not_judging[0].groups.push_back(group.group);

  Prepared extended = so_far.prepared;
  add_cells(extended, line);
  const std::uint32_t done = *so_far.finished.rbegin();
  NextLaunches alone{.groups = 1};
  for (const record::Cell& cell : cells.cells) {
    for (const std::uint32_t arm : cells.arms[cell.id]) alone.dropped.push_back({cell.id, arm});
  }
  const NextLaunches everything{.groups = so_far.prepared.campaign.launches.min};
  Step step;
  step.plan = plan_after(extended, so_far.state, done, std::vector{alone, everything});
  step.line = std::move(line);
  step.say = "half way: " + std::to_string(*added.cell.size_bytes) + " B";
  return step;
}

// Where one of the later parts would put its row.
inline std::vector<Decision> with_half_way() {
  std::vector<Decision> all{
      {.name = "half-way",
       .asked = [](const Prepared&) { return true; },
       .decide = half_way,
       .operations = [](const Prepared&) { return std::vector<std::string>{kOtherOperation}; }}};
  const auto usual = all_decisions();
  all.insert(all.begin() + 0, usual.front());
  all.insert(all.end(), usual.begin() + 1, usual.end());
  return all;
}

}  // namespace invar::driver::test
