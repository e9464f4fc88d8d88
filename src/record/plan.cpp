#include "record/plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

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

class Reader {
 public:
  Reader(std::string_view text, const std::string& place)
      : place_(place), records_(base::read_csv(text, place)) {}

  Plan read() {
    check_header();
    faults_.throw_if_any();
    for (std::size_t i = 1; i < records_.size(); ++i) read_row(records_[i]);
    check_cells();
    check_order();
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
    for (const Column& column : kColumns) all.emplace_back(column.name);
    for (const Factor& factor : factors()) all.emplace_back(factor.name);
    return all;
  }

  void check_header() {
    if (records_.empty()) {
      fault(1, "the plan is empty", "make one with 'invar plan FILE -o DIR'");
      return;
    }
    const std::vector<std::string> expected = names();
    if (records_[0].fields != expected) {
      fault(records_[0].line, "the columns are not those of a plan",
            "expected: " + base::join(expected, ","));
    }
  }

  void read_row(const base::CsvRow& record) {
    if (record.fields.size() != kColumns.size() + factors().size()) {
      fault(record.line, "the row has " + std::to_string(record.fields.size()) + " fields",
            "expected " + std::to_string(kColumns.size() + factors().size()));
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
        fault(record.line, "'" + text + "' is no " + std::string(column.name) + " number");
        continue;
      }
      row.*column.number = static_cast<std::uint32_t>(*number);
    }
    Cell cell{.id = row.cell};
    for (const Factor& factor : factors()) {
      const std::string& text = record.fields[field++];
      if (!factor.parse(cell, text)) {
        fault(record.line, "'" + text + "' is no level of " + std::string(factor.name));
      }
    }
    const auto [known, is_new] = cells_.try_emplace(row.cell, cell, record.line);
    if (!is_new && !known->second.first.same_levels(cell)) {
      fault(record.line,
            "cell " + std::to_string(row.cell) + " is '" + cell_text(cell) + "' here and '" +
                cell_text(known->second.first) + "' in line " +
                std::to_string(known->second.second),
            "give every combination of factors a cell number of its own");
    }
    if (row.calls == 0) fault(record.line, "calls is 0", "write 1 or more");
    if (row.repetitions == 0) fault(record.line, "repetitions is 0", "write 1 or more");
    lines_.push_back(record.line);
    plan_.rows.push_back(std::move(row));
  }

  void check_cells() {
    for (auto& [id, cell] : cells_) {
      if (id != plan_.cells.size()) {
        fault(cell.second, "cell numbers leave a gap before " + std::to_string(id),
              "number the cells 0, 1, 2, ...");
        return;
      }
      plan_.cells.push_back(cell.first);
    }
  }

  void check_order() {
    std::set<std::uint32_t> visits;
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
      const PlanRow& row = plan_.rows[i];
      if (!visits.insert(row.visit).second) {
        fault(lines_[i], "visit " + std::to_string(row.visit) + " stands twice");
      }
      if (i == 0) continue;
      const PlanRow& before = plan_.rows[i - 1];
      if (row.group < before.group) {
        fault(lines_[i], "group " + std::to_string(row.group) + " comes after group " +
                             std::to_string(before.group));
      } else if (row.group == before.group && row.turn != before.turn + 1) {
        fault(lines_[i], "turn " + std::to_string(row.turn) + " does not follow turn " +
                             std::to_string(before.turn));
      } else if (row.group == before.group &&
                 (row.block < before.block || row.round < before.round)) {
        fault(lines_[i], "rounds and blocks of a group must not go back");
      }
    }
  }

  const std::string& place_;
  std::vector<base::CsvRow> records_;
  std::map<std::uint32_t, std::pair<Cell, int>> cells_ = {};
  std::vector<int> lines_ = {};
  base::Faults faults_ = {};
  Plan plan_ = {};
};

}  // namespace

std::string plan_csv(const Plan& plan) {
  std::string text;
  for (const Column& column : kColumns) text += std::string(column.name) + ',';
  std::vector<std::string> levels(plan.cells.size());
  for (const Factor& factor : factors()) text += std::string(factor.name) + ',';
  text.back() = '\n';
  for (const Cell& cell : plan.cells) {
    for (const Factor& factor : factors())
      levels[cell.id] += base::csv_field(factor.text(cell)) + ',';
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

Plan read_plan(std::string_view text, const std::string& place) {
  return Reader(text, place).read();
}

}  // namespace invar::record
