// The plan: every measurement that will be made, in the order in which it will be made, one row a
// visit. What stage 1 writes and stage 2 executes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/cell.hpp"

namespace invar::record {

struct PlanRow {
  std::uint32_t group = 0;        // launch group, from 1 over the campaign
  std::uint32_t launch = 0;       // from 1 over the campaign
  std::uint32_t turn = 0;         // position of the visit in its group, from 0
  std::uint32_t round = 0;        // from 0 in the group
  std::uint32_t block = 0;        // from 0 in the group
  std::uint32_t visit = 0;        // from 1 over the campaign
  std::uint32_t cell = 0;         // Cell::id
  std::string arm = {};           // label
  std::uint32_t calls = 1;        // calls between two clock reads (a batch if more than 1)
  std::uint32_t repetitions = 0;  // valid ones after warm-up

  bool operator==(const PlanRow&) const = default;
};

// What is shorter than so many steps of the clock is timed in batches that are at least as long.
constexpr double kStepsOfABatch = 20;

// Calls between two clock reads by Cell::id, of cells that are timed in batches.
using Calls = std::map<std::uint32_t, std::uint32_t>;

struct Plan {
  // Index = Cell::id. A cell that a plan read from a file has no row of (all its visits were left
  // out) has an empty operation.
  std::vector<Cell> cells = {};
  std::vector<PlanRow> rows = {};  // ordered by group and turn
  std::vector<int> lines = {};     // of each row in the file it was read from; else empty
};

// Adds a plan to those before it: of its first group and all later ones it alone says what is
// measured, so their rows are taken out of the earlier plans.
void append_plan(std::vector<Plan>& plans, Plan next);

// Columns: group,launch,turn,round,block,visit,cell,arm,calls,repetitions, then the factors
// (written_factors()).
std::string plan_csv(const Plan& plan);

// What a text holds: all visits of a plan, or only those that one launch takes part in.
enum class PlanExtent { kWhole, kPart };

// Reads it back; a factor without a column has the level that stands for that (Factor::absent).
// Throws UserError with every fault and its line: missing or unknown columns,
// numbers that are none, a cell number whose factors differ from row to row, visits that stand
// twice, turns out of order (of a whole plan also gaps between turns), blocks and launches that mix
// what they must not.
Plan read_plan(std::string_view text, const std::string& place,
               PlanExtent extent = PlanExtent::kWhole);

}  // namespace invar::record
