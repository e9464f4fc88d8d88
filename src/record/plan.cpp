#include "record/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::record {
namespace {

struct Column {
  std::string_view name;
  std::uint32_t PlanRow::*number;  // null: the arm's label
};

constexpr std::array<Column, 10> kColumns{{
    {"group", &PlanRow::group},
    {"launch", &PlanRow::launch},
    {"turn", &PlanRow::turn},
    {"round", &PlanRow::round},
    {"block", &PlanRow::block},
    {"visit", &PlanRow::visit},
    {"cell", &PlanRow::cell},
    {"arm", nullptr},
    {"calls", &PlanRow::calls},
    {"repetitions", &PlanRow::repetitions},
}};

// Cell numbers are indices: a slip of the pen must not ask for gigabytes.
constexpr std::uint32_t kMaxCells = 10'000'000;
// Nor must a short text that names a single one of them: cells below it that no row has.
constexpr std::size_t kMaxAbsentCells = 100'000;

class Reader {
 public:
  Reader(std::string_view text, const std::string& place, PlanExtent extent)
      : place_(place), whole_(extent == PlanExtent::kWhole), records_(text, place) {}

  Plan read() {
    check_header();
    faults_.throw_if_any();
    while (records_.next(record_)) read_row(record_);
    collect_cells();
    // What follows from a number that is none is not a fault of its own.
    faults_.throw_if_any();
    check_order();
    check_blocks();
    check_launches();
    faults_.throw_if_any();
    return std::move(plan_);
  }

 private:
  void fault(int line, std::string what, std::string remedy = {}) {
    faults_.add(
        {.place = place_, .line = line, .what = std::move(what), .remedy = std::move(remedy)});
  }

  static std::vector<std::string> names() {
    std::vector<std::string> all;
    all.reserve(kColumns.size() + factors().size());
    for (const Column& column : kColumns) all.emplace_back(column.name);
    for (const Factor& factor : factors()) all.emplace_back(factor.name);
    return all;
  }

  [[nodiscard]] bool has_column(std::string_view name) const {
    return std::find(record_.fields.begin(), record_.fields.end(), name) != record_.fields.end();
  }

  // The columns of a visit in their order, then those of factors. A factor that came later than the
  // plan has no column.
  void check_header() {
    if (!records_.next(record_)) {
      fault(1, "the plan is empty", "make one with 'invar plan FILE -o DIR'");
      return;
    }
    const std::string expected = "expected: " + base::join(names(), ",");
    const bool of_visits = record_.fields.size() > kColumns.size() &&
                           std::equal(kColumns.begin(), kColumns.end(), record_.fields.begin(),
                                      [](const Column& column, const std::string& name) {
                                        return column.name == name;
                                      });
    if (!of_visits) {
      fault(record_.line, "the columns are not those of a plan", expected);
      return;
    }
    for (std::size_t i = kColumns.size(); i < record_.fields.size(); ++i) {
      const std::string& name = record_.fields[i];
      const Factor* factor = find_factor(name);
      if (factor == nullptr) {
        fault(record_.line, "unknown column '" + name + "'",
              "made by a newer Invar? Then use that one; " + expected);
      } else if (std::find(present_.begin(), present_.end(), factor) != present_.end()) {
        fault(record_.line, "the column '" + name + "' stands twice", "remove one of the two");
      } else {
        present_.push_back(factor);
      }
    }
    for (const Factor& factor : factors()) {
      if (factor.absent || has_column(factor.name)) continue;
      fault(record_.line, "the column '" + std::string(factor.name) + "' is missing", expected);
    }
  }

  void read_row(const base::CsvRow& record) {
    if (record.fields.size() != kColumns.size() + present_.size()) {
      fault(record.line, "the row has " + std::to_string(record.fields.size()) + " fields",
            "expected " + std::to_string(kColumns.size() + present_.size()));
      return;
    }
    PlanRow row;
    std::size_t field = 0;
    for (const Column& column : kColumns) {
      const std::string& text = record.fields[field++];
      if (column.number == nullptr) {
        row.arm = text;
        if (text.empty()) fault(record.line, "the arm is missing");
        continue;
      }
      const auto number = base::parse_u64(text);
      if (!number || *number > std::numeric_limits<std::uint32_t>::max()) {
        fault(record.line, "'" + text + "' in column " + std::string(column.name) +
                               " is not a whole number below 2^32");
        continue;
      }
      row.*column.number = static_cast<std::uint32_t>(*number);
    }
    // A cell stands in many rows, with the same text in all of them.
    const auto same = rows_of_cells_.find(row.cell);
    const bool known_text =
        same != rows_of_cells_.end() &&
        std::equal(record.fields.begin() + static_cast<std::ptrdiff_t>(field), record.fields.end(),
                   same->second.begin(), same->second.end());
    if (!known_text && !read_cell(record, row, field)) return;
    if (row.calls == 0) fault(record.line, "calls is 0", "write 1 or more");
    if (row.repetitions == 0) fault(record.line, "repetitions is 0", "write 1 or more");
    plan_.lines.push_back(record.line);
    plan_.rows.push_back(std::move(row));
  }

  // False: the row is of no cell that there can be.
  bool read_cell(const base::CsvRow& record, const PlanRow& row, std::size_t field) {
    Cell cell = absent_;
    cell.id = row.cell;
    for (const Factor* factor : present_) {
      const std::string& text = record.fields[field++];
      if (!factor->parse(cell, text)) {
        fault(record.line, "'" + text + "' is not a level of " + std::string(factor->name));
      }
    }
    if (cell.operation.empty()) fault(record.line, "the operation is missing");
    if (row.cell >= kMaxCells) {
      fault(record.line, "cell " + std::to_string(row.cell) + " is beyond any campaign",
            "number the cells 0, 1, 2, ...");
      return false;
    }
    rows_of_cells_.try_emplace(row.cell,
                               record.fields.end() - static_cast<std::ptrdiff_t>(present_.size()),
                               record.fields.end());
    const auto [known, is_new] = cells_.try_emplace(row.cell, cell, record.line);
    if (!is_new && !known->second.first.same_levels(cell)) {
      const std::array<Cell, 2> both{cell, known->second.first};
      const CellTexts text(both);
      fault(record.line,
            "cell " + std::to_string(row.cell) + " is '" + text(cell) + "' here and '" +
                text(known->second.first) + "' in line " + std::to_string(known->second.second),
            "give every combination of factors a cell number of its own");
    }
    return true;
  }

  void collect_cells() {
    if (cells_.empty()) return;
    const auto& [last, latest] = *cells_.rbegin();
    if (last + 1 - cells_.size() > kMaxAbsentCells) {
      fault(latest.second,
            "cell " + std::to_string(last) + " is far beyond the " +
                base::count_text(cells_.size(), "cell") + " that the plan has",
            "number the cells 0, 1, 2, ...");
      return;
    }
    for (const auto& [id, cell] : cells_) {
      while (plan_.cells.size() < id) {
        plan_.cells.push_back({.id = static_cast<std::uint32_t>(plan_.cells.size())});
      }
      plan_.cells.push_back(cell.first);
    }
  }

  [[nodiscard]] int line(std::size_t row) const { return plan_.lines[row]; }

  void check_order() {
    std::unordered_set<std::uint32_t> visits;
    visits.reserve(plan_.rows.size());
    std::map<std::uint32_t, std::size_t> last_of_launch;
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
      const PlanRow& row = plan_.rows[i];
      if (!visits.insert(row.visit).second) {
        fault(line(i), "visit " + std::to_string(row.visit) + " stands twice");
      }
      const bool first = i == 0 || plan_.rows[i - 1].group != row.group;
      const std::uint32_t expected = first ? 0 : plan_.rows[i - 1].turn + 1;
      if (i > 0 && row.group < plan_.rows[i - 1].group) {
        fault(line(i), "group " + std::to_string(row.group) + " comes after group " +
                           std::to_string(plan_.rows[i - 1].group));
      } else if (whole_ ? row.turn != expected : row.turn < expected) {
        fault(line(i),
              "turn " + std::to_string(row.turn) + " stands where turn " +
                  std::to_string(expected) + " is due",
              "number the turns of each group 0, 1, 2, ... in the order of the rows");
      }
      // Launch after launch, blocks begin anew with each launch; by turns they are shared. Either
      // way no launch goes back.
      const auto [last, is_new] = last_of_launch.try_emplace(row.launch, i);
      if (is_new) continue;
      const PlanRow& before = plan_.rows[last->second];
      if (before.group == row.group && (row.block < before.block || row.round < before.round)) {
        fault(line(i), "launch " + std::to_string(row.launch) + " goes back to an earlier " +
                           (row.round < before.round ? "round" : "block"));
      }
      last->second = i;
    }
  }

  void check_blocks() {
    const auto key = [](std::uint32_t group, std::uint32_t block) {
      return std::uint64_t{group} << 32U | block;
    };
    std::unordered_map<std::uint64_t, std::size_t> first_of_block;
    std::unordered_map<std::string_view, std::unordered_set<std::uint64_t>> blocks_of_arm;
    first_of_block.reserve(plan_.rows.size());
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
      const PlanRow& row = plan_.rows[i];
      const auto block = [&] { return "block " + std::to_string(row.block); };
      if (!blocks_of_arm[row.arm].insert(key(row.group, row.block)).second) {
        fault(line(i), block() + " has arm '" + row.arm + "' twice",
              "a block is one visit of one cell by each arm");
      }
      const auto [known, is_new] = first_of_block.try_emplace(key(row.group, row.block), i);
      if (is_new) continue;
      const std::size_t first_row = known->second;
      const PlanRow& first = plan_.rows[first_row];
      const auto there = [&] { return " and in line " + std::to_string(line(first_row)); };
      if (row.cell != first.cell || row.round != first.round) {
        fault(line(i), block() + " has different cells or rounds here" + there(),
              "a block is one visit of one cell by each arm");
      } else if (row.calls != first.calls) {
        fault(line(i), block() + " has different calls here" + there(),
              "arms are compared over the same number of calls");
      }
    }
  }

  void check_launches() {
    std::map<std::uint32_t, std::size_t> first_of_launch;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> launch_of_arm;
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
      const PlanRow& row = plan_.rows[i];
      const auto [known, is_new] = first_of_launch.try_emplace(row.launch, i);
      const PlanRow& first = plan_.rows[known->second];
      if (row.group != first.group || row.arm != first.arm) {
        fault(line(i),
              "launch " + std::to_string(row.launch) + " has another group or arm than in line " +
                  std::to_string(line(known->second)),
              "a launch is one start of one arm");
      }
      if (!is_new) continue;
      const auto [other, first_time] = launch_of_arm.try_emplace({row.group, row.arm}, row.launch);
      if (!first_time && other->second != row.launch) {
        fault(line(i),
              "arm '" + row.arm + "' has launches " + std::to_string(other->second) + " and " +
                  std::to_string(row.launch) + " in group " + std::to_string(row.group),
              "a group has one launch of each arm");
      }
    }
  }

  const std::string& place_;
  bool whole_;
  base::CsvReader records_;
  base::CsvRow record_ = {};
  std::map<std::uint32_t, std::pair<Cell, int>> cells_ = {};
  // Levels of each cell as they stand in its first row.
  std::vector<const Factor*> present_ = {};  // in the order of the plan's columns
  std::unordered_map<std::uint32_t, std::vector<std::string>> rows_of_cells_ = {};
  const Cell absent_ = cell_of_absent_levels(0);
  base::Faults faults_ = {};
  Plan plan_ = {};
};

}  // namespace

std::string plan_csv(const Plan& plan) {
  std::string text;
  for (const Column& column : kColumns) text += std::string(column.name) + ',';
  std::vector<std::string> levels(plan.cells.size());
  const std::vector<const Factor*> written = written_factors(plan.cells);
  for (const Factor* factor : written) text += std::string(factor->name) + ',';
  text.back() = '\n';
  for (const Cell& cell : plan.cells) {
    for (const Factor* factor : written)
      levels[cell.id] += base::csv_field(factor->text(cell)) + ',';
    levels[cell.id].back() = '\n';
  }
  for (const PlanRow& row : plan.rows) {
    for (const Column& column : kColumns) {
      text +=
          column.number == nullptr ? base::csv_field(row.arm) : std::to_string(row.*column.number);
      text += ',';
    }
    text += levels.at(row.cell);
  }
  return text;
}

void append_plan(std::vector<Plan>& plans, Plan next) {
  if (!next.rows.empty()) {
    const std::uint32_t first = next.rows.front().group;
    for (Plan& plan : plans) {
      const auto end = std::find_if(plan.rows.begin(), plan.rows.end(),
                                    [&](const PlanRow& row) { return row.group >= first; });
      plan.rows.erase(end, plan.rows.end());
      plan.lines.resize(std::min(plan.lines.size(), plan.rows.size()));
    }
  }
  plans.push_back(std::move(next));
}

Plan read_plan(std::string_view text, const std::string& place, PlanExtent extent) {
  return Reader(text, place, extent).read();
}

}  // namespace invar::record
