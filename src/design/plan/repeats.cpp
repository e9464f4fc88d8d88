#include "design/plan/repeats.hpp"

#include <algorithm>
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
  std::map<std::uint32_t, std::uint32_t> repeats;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // round, cell
  for (const std::uint32_t cell : cells) order.emplace_back(round + repeats[cell]++, cell);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Rows added;
  for (const auto& [own_round, cell] : order) {
    Rows again = last_block(rows, cell);
    if (again.empty()) continue;
    std::reverse(again.begin(), again.end());
    for (record::PlanRow& row : again) {
      row.round = own_round;
      row.block = block;
    }
    added.insert(added.end(), again.begin(), again.end());
    ++block;
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
