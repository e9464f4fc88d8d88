#include "design/plan/repeats.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace invar::design {
namespace {

using Rows = std::vector<record::PlanRow>;

// The rows of the cell's last block, in their order.
Rows last_block(const Rows& rows, std::uint32_t cell) {
  Rows block;
  for (const record::PlanRow& row : rows) {
    if (row.cell != cell) continue;
    if (!block.empty() && row.block > block.front().block) block.clear();
    if (block.empty() || row.block == block.front().block) block.push_back(row);
  }
  return block;
}

// What is measured together, and so many times once more; blocks in the reverse of their order.
struct Repeated {
  std::vector<Rows> blocks = {};
  std::uint32_t times = 0;
};

// A cell of a family says nothing without those that it is compared with in the same round.
std::vector<Repeated> repeated(const record::Plan& plan, const Rows& rows,
                               std::span<const std::uint32_t> cells) {
  std::map<std::uint32_t, std::uint32_t> times;
  for (const std::uint32_t cell : cells) ++times[cell];
  std::map<std::string, Repeated> of_families;
  std::vector<Repeated> all;
  for (const record::Cell& cell : plan.cells) {
    Rows block = last_block(rows, cell.id);
    if (block.empty()) continue;
    const auto found = times.find(cell.id);
    const std::uint32_t own = found == times.end() ? 0 : found->second;
    Repeated& unit = cell.family.empty() ? all.emplace_back() : of_families[cell.family];
    unit.blocks.push_back(std::move(block));
    unit.times = std::max(unit.times, own);
  }
  for (auto& [name, unit] : of_families) all.push_back(std::move(unit));
  for (Repeated& unit : all) {
    std::ranges::sort(unit.blocks, std::ranges::greater(),
                      [](const Rows& block) { return block.front().block; });
  }
  return all;
}

}  // namespace

record::Plan with_repeats(record::Plan plan, std::uint32_t group,
                          std::span<const std::uint32_t> cells, bool launch_after_launch) {
  const auto of_group = [group](const record::PlanRow& row) { return row.group == group; };
  const auto begin = std::find_if(plan.rows.begin(), plan.rows.end(), of_group);
  if (begin == plan.rows.end()) {
    throw std::invalid_argument("the plan has no group " + std::to_string(group));
  }
  const auto end = std::find_if_not(begin, plan.rows.end(), of_group);
  Rows rows(begin, end);
  std::uint32_t round = 0;
  std::uint32_t block = 0;
  for (const record::PlanRow& row : rows) {
    round = std::max(round, row.round + 1);
    block = std::max(block, row.block + 1);
  }
  // A cell has at most one block a round, and rounds follow each other.
  const std::vector<Repeated> units = repeated(plan, rows, cells);
  std::uint32_t most = 0;
  for (const Repeated& unit : units) most = std::max(most, unit.times);
  Rows added;
  for (std::uint32_t time = 0; time < most; ++time) {
    for (const Repeated& unit : units) {
      if (unit.times <= time) continue;
      for (Rows again : unit.blocks) {
        std::reverse(again.begin(), again.end());
        for (record::PlanRow& row : again) {
          row.round = round + time;
          row.block = block;
        }
        added.insert(added.end(), again.begin(), again.end());
        ++block;
      }
    }
  }
  if (added.empty()) return plan;
  if (launch_after_launch) {
    Rows ordered;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ordered.push_back(rows[i]);
      if (i + 1 < rows.size() && rows[i + 1].launch == rows[i].launch) continue;
      std::copy_if(added.begin(), added.end(), std::back_inserter(ordered),
                   [&](const record::PlanRow& row) { return row.launch == rows[i].launch; });
    }
    rows = std::move(ordered);
  } else {
    rows.insert(rows.end(), added.begin(), added.end());
  }
  std::uint32_t visit = begin->visit;
  std::uint32_t turn = 0;
  for (record::PlanRow& row : rows) {
    row.turn = turn++;
    row.visit = visit++;
  }
  Rows result(plan.rows.begin(), begin);
  result.insert(result.end(), rows.begin(), rows.end());
  for (auto row = end; row != plan.rows.end(); ++row) {
    result.push_back(*row);
    result.back().visit = visit++;
  }
  plan.rows = std::move(result);
  plan.lines.clear();
  return plan;
}

}  // namespace invar::design
