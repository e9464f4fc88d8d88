// The self-test as an answer.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/compare/compared_table.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/questions/self_test.hpp"
#include "analysis/questions/varied.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

Word pairing_word(Pairing pairing) {
  if (pairing == Pairing::kLaunches) return {.name = "launches", .words = "launch by launch"};
  return pairing == Pairing::kTurns ? Word{.name = "turns", .words = "by turns"}
                                    : Word{.name = "rounds", .words = "inside a launch"};
}

// For CSV: of every kind of tables the false verdicts, then what was found of every planted delay.
TidyTable found_table(const SelfTest& result) {
  TidyTable table{.id = "found",
                  .columns = {{.name = "pairing", .kind = Kind::kVerdict},
                              {.name = "groups", .kind = Kind::kCount},
                              {.name = "tables", .kind = Kind::kCount},
                              {.name = "level", .kind = Kind::kCount},
                              {.name = "operation"},
                              {.name = "size_bytes", .kind = Kind::kBytes},
                              {.name = "median_ns", .kind = Kind::kTime},
                              {.name = "delay_ns", .kind = Kind::kTime},
                              {.name = "effect", .kind = Kind::kShare},
                              {.name = "testable", .kind = Kind::kYesNo},
                              {.name = "found", .kind = Kind::kShare},
                              {.name = "tables_wrong", .kind = Kind::kCount},
                              {.name = "tables_limit", .kind = Kind::kCount}},
                  .in_json = false};
  for (const SelfTestTables& tables : result.tables) {
    const FalseVerdicts& equal = tables.equal;
    table.rows.push_back({pairing_word(tables.pairing),
                          equal.groups,
                          equal.tables,
                          0,
                          {},
                          {},
                          {},
                          0,
                          0,
                          {},
                          {},
                          equal.tables_wrong,
                          equal.tables_limit});
    for (std::size_t level = 0; level < tables.power.size(); ++level) {
      const auto& by_cell = tables.power[level].found_by_cell;
      for (std::size_t i = 0; i < result.cells.size(); ++i) {
        const SelfTestCell& cell = result.cells[i];
        table.rows.push_back({pairing_word(tables.pairing),
                              equal.groups,
                              equal.tables,
                              level + 1,
                              cell.cell.operation,
                              cell.cell.size_bytes,
                              cell.median_ns,
                              cell.delays_ns[level],
                              cell.effects[level],
                              static_cast<bool>(cell.testable[level]),
                              i < by_cell.size() ? Value(by_cell[i]) : Value(),
                              {},
                              {}});
      }
    }
  }
  return table;
}

TidyTable equal_table(const SelfTest& result) {
  TidyTable table{
      .columns = {{.name = "pairing", .kind = Kind::kVerdict},
                  {.name = "groups", .kind = Kind::kCount},
                  {.name = "tables", .kind = Kind::kCount},
                  {.name = "tables_wrong", .kind = Kind::kCount},
                  {.name = "tables_limit", .kind = Kind::kCount},
                  {.name = "cells"},
                  {.name = "uncorrected", .kind = Kind::kShare, .low = "low", .high = "high"},
                  {.name = "low", .kind = Kind::kShare},
                  {.name = "high", .kind = Kind::kShare}},
      .shown = {{.header = "no difference", .column = "pairing"},
                {.header = "groups a table", .column = "groups"},
                {.header = "tables", .column = "tables"},
                {.header = "with a false verdict", .column = "tables_wrong"},
                {.header = "at most", .column = "tables_limit"},
                {.header = "cells with one", .column = "cells", .right = true},
                {.header = "p < alpha uncorrected", .column = "uncorrected", .decimals = 1}}};
  for (const SelfTestTables& tables : result.tables) {
    const FalseVerdicts& equal = tables.equal;
    std::vector<Value> row{pairing_word(tables.pairing),
                           equal.groups,
                           equal.tables,
                           equal.tables_wrong,
                           equal.tables_limit,
                           fmt::format("{} of {}", equal.cells_wrong, equal.cells),
                           equal.uncorrected_share};
    std::optional<stats::Interval> interval = equal.uncorrected_interval;
    if (interval) interval = {std::max(0.0, interval->low), std::min(1.0, interval->high)};
    append_interval(row, interval);
    table.rows.push_back(std::move(row));
  }
  return table;
}

TidyTable power_table(const SelfTest& result) {
  TidyTable table{.columns = {{.name = "pairing", .kind = Kind::kVerdict},
                              {.name = "groups", .kind = Kind::kCount}},
                  .shown = {{.header = "found of planted", .column = "pairing"},
                            {.header = "groups a table", .column = "groups"}}};
  for (std::size_t level = 0; level < result.effects.size(); ++level) {
    const std::string name = "found_" + std::to_string(level + 1);
    table.columns.push_back({.name = name, .kind = Kind::kShare});
    table.shown.push_back({.header = percent_text(result.effects[level]),
                           .column = name,
                           .absent = "-",
                           .decimals = 0});
  }
  for (const SelfTestTables& tables : result.tables) {
    std::vector<Value> row{pairing_word(tables.pairing), tables.equal.groups};
    for (const Power& power : tables.power) row.emplace_back(power.found);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Between arms, with the most groups a table: what a race that is long enough finds.
const SelfTestTables* longest_race(const SelfTest& result) {
  const SelfTestTables* longest = nullptr;
  for (const SelfTestTables& tables : result.tables) {
    if (tables.pairing == Pairing::kRounds) continue;
    if (longest == nullptr || tables.equal.groups > longest->equal.groups) longest = &tables;
  }
  return longest;
}

TidyTable planted_table(const SelfTest& result) {
  const SelfTestTables* tables = longest_race(result);
  TidyTable table{
      .columns = {{.name = "operation"},
                  {.name = "size_bytes", .kind = Kind::kBytes},
                  {.name = "median_ns", .kind = Kind::kTime}},
      .shown = {{.header = tables == nullptr ? std::string("planted")
                                             : fmt::format("found {} in {} groups",
                                                           pairing_word(tables->pairing).words,
                                                           tables->equal.groups),
                 .column = "operation"},
                {.header = "size", .column = "size_bytes", .left = true},
                {.header = "median", .column = "median_ns"}}};
  for (std::size_t level = 0; level < result.effects.size(); ++level) {
    const std::string number = std::to_string(level + 1);
    table.columns.push_back({.name = "effect_" + number, .kind = Kind::kShare});
    table.columns.push_back({.name = "found_" + number, .kind = Kind::kShare});
    table.shown.push_back({.header = "delay", .column = "effect_" + number, .decimals = 1});
    table.shown.push_back({.header = "found",
                           .column = "found_" + number,
                           .absent = "-",
                           .decimals = 0,
                           .glued = true});
  }
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const SelfTestCell& cell = result.cells[i];
    std::vector<Value> row{cell.cell.operation, cell.cell.size_bytes, cell.median_ns};
    for (std::size_t level = 0; level < result.effects.size(); ++level) {
      row.emplace_back(cell.effects[level]);
      const bool judged = tables != nullptr && i < tables->power[level].found_by_cell.size();
      row.push_back(!cell.testable[level] ? Value("not testable")
                    : judged              ? Value(tables->power[level].found_by_cell[i])
                                          : Value());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Value power_value(const SelfTest& result, const SelfTestTables& tables) {
  List levels;
  for (std::size_t level = 0; level < tables.power.size(); ++level) {
    const Power& power = tables.power[level];
    levels.emplace_back(
        Record{{"effect", result.effects[level]},
               {"tables", power.tables},
               {"found", power.found},
               {"equivalent", power.equivalent},
               {"found_by_cell", List(power.found_by_cell.begin(), power.found_by_cell.end())}});
  }
  return levels;
}

Value cells_value(const SelfTest& result) {
  List cells;
  for (const SelfTestCell& cell : result.cells) {
    List planted;
    for (std::size_t level = 0; level < cell.effects.size(); ++level) {
      planted.emplace_back(Record{{"delay_ns", cell.delays_ns[level]},
                                  {"effect", cell.effects[level]},
                                  {"testable", static_cast<bool>(cell.testable[level])}});
    }
    cells.emplace_back(
        Record{{"", cell.cell}, {"median_ns", cell.median_ns}, {"planted", std::move(planted)}});
  }
  return cells;
}

Value tables_value(const SelfTest& result) {
  List all;
  for (const SelfTestTables& tables : result.tables) {
    const FalseVerdicts& equal = tables.equal;
    const auto& interval = equal.uncorrected_interval;
    all.emplace_back(Record{{"pairing", pairing_word(tables.pairing)},
                            {"groups", equal.groups},
                            {"tables", equal.tables},
                            {"tables_wrong", equal.tables_wrong},
                            {"tables_limit", equal.tables_limit},
                            {"cells", equal.cells},
                            {"cells_wrong", equal.cells_wrong},
                            {"uncorrected_share", equal.uncorrected_share},
                            {"uncorrected_low", interval ? Value(interval->low) : Value()},
                            {"uncorrected_high", interval ? Value(interval->high) : Value()},
                            {"power", power_value(result, tables)}});
  }
  return all;
}

}  // namespace

Answer answer_of(const SelfTest& result) {
  Answer answer{
      .question = "self-test",
      .sentence = result.sentence,
      .scope = result.scope,
      .facts = {{"holds", result.problems.empty() && !result.tables.empty()},
                {"arms", arms_value({&result.arm, 1})},
                {"groups", result.groups},
                {"alpha", result.alpha},
                {"min_effect", result.min_effect},
                {"raw_welch_share", result.raw_welch_share},
                {"delay_check", result.delay_check},
                {"cells", cells_value(result)},
                {"tables", tables_value(result)},
                {"problems", List(result.problems.begin(), result.problems.end())}},
      .tables = {found_table(result)},
      .head = fmt::format("{} against itself: {}, {}", result.arm.library,
                          count_text(result.cells.size(), "cell"),
                          count_text(result.groups, "launch group")),
      .notes = {fmt::format(
                    "tables do not share a group; a false verdict says faster or slower where "
                    "nothing differs; at most: so many agree with alpha {} (99 %, one-sided); a "
                    "delay is planted into one of {} cells at a time; inside a launch: two cells "
                    "of one launch, paired by rounds",
                    number_text(result.alpha), result.cells.size()),
                fmt::format("tools that take repetitions for independent (Welch's t on one launch "
                            "each) would call {} of the equal cells different",
                            percent_text(result.raw_welch_share))},
      .warnings = result.warnings,
      .health = result.health};
  if (!result.tables.empty()) {
    answer.tables.push_back(equal_table(result));
    answer.tables.push_back(power_table(result));
  }
  answer.tables.push_back(planted_table(result));
  for (const std::string& problem : result.problems) {
    answer.remarks.push_back({"does not hold", problem});
  }
  if (!result.dir.empty()) {
    const std::string dir = base::shell_quoted(result.dir.string());
    answer.next = {{"data", dir}, {"again", "invar self-test --from " + dir}};
  }
  return answer;
}

QuestionRow self_test_row() {
  return {design::Question::kSelfTest, self_test_lack,
          [](const Study& study, Detail) {
            SelfTest found = self_test(study);
            Answer answer = answer_of(found);
            return Answered{.answer = std::move(answer), .found = std::move(found)};
          },
          [](const Study& study) { return plants_delays(study) ? OnPage::kExpected : OnPage::kNo; },
          "self_test"};
}

}  // namespace invar::analysis
