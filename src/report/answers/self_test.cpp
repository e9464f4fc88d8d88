#include "report/answers/self_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/words/words.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/cell_json.hpp"
#include "report/kit/compared_cell.hpp"
#include "report/kit/numbers.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::percent_text;
using analysis::Power;
using analysis::SelfTest;
using analysis::SelfTestCell;
using analysis::SelfTestTables;

const char* pairing_text(analysis::Pairing pairing) {
  if (pairing == analysis::Pairing::kLaunches) return "launch by launch";
  return pairing == analysis::Pairing::kTurns ? "by turns" : "inside a launch";
}

const char* pairing_name(analysis::Pairing pairing) {
  if (pairing == analysis::Pairing::kLaunches) return "launches";
  return pairing == analysis::Pairing::kTurns ? "turns" : "rounds";
}

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100 * *share) : "-";
}

std::string interval_text(const std::optional<stats::Interval>& interval) {
  if (!interval) return {};
  return fmt::format("[{:.1f}, {:.1f}]", 100 * std::max(0.0, interval->low),
                     100 * std::min(1.0, interval->high));
}

std::string size_text(const record::Cell& cell) {
  return cell.size_bytes ? base::size_text(*cell.size_bytes) : "";
}

std::string equal_table(const SelfTest& result) {
  TextTable table;
  table.add_column("no difference", Align::kLeft);
  for (const char* header : {"groups a table", "tables", "with a false verdict", "at most",
                             "cells with one", "p < alpha uncorrected"}) {
    table.add_column(header, Align::kRight);
  }
  table.add_column("", Align::kLeft, true);
  for (const SelfTestTables& tables : result.tables) {
    const analysis::FalseVerdicts& equal = tables.equal;
    table.add_row({pairing_text(tables.pairing), std::to_string(equal.groups),
                   std::to_string(equal.tables), std::to_string(equal.tables_wrong),
                   std::to_string(equal.tables_limit),
                   fmt::format("{} of {}", equal.cells_wrong, equal.cells),
                   fmt::format("{:.1f} %", 100 * equal.uncorrected_share),
                   interval_text(equal.uncorrected_interval)});
  }
  return table.text();
}

std::string power_table(const SelfTest& result) {
  TextTable table;
  table.add_column("found of planted", Align::kLeft);
  table.add_column("groups a table", Align::kRight);
  for (const double effect : result.effects) table.add_column(percent_text(effect), Align::kRight);
  for (const SelfTestTables& tables : result.tables) {
    std::vector<std::string> fields{pairing_text(tables.pairing),
                                    std::to_string(tables.equal.groups)};
    for (const Power& power : tables.power) fields.push_back(share_text(power.found));
    table.add_row(std::move(fields));
  }
  return table.text();
}

// Between arms, with the most groups a table: what a race that is long enough finds.
const SelfTestTables* longest_race(const SelfTest& result) {
  const SelfTestTables* longest = nullptr;
  for (const SelfTestTables& tables : result.tables) {
    if (tables.pairing == analysis::Pairing::kRounds) continue;
    if (longest == nullptr || tables.equal.groups > longest->equal.groups) longest = &tables;
  }
  return longest;
}

std::string cell_table(const SelfTest& result) {
  const SelfTestTables* tables = longest_race(result);
  TextTable table;
  table.add_column(tables == nullptr
                       ? std::string("planted")
                       : fmt::format("found {} in {} groups", pairing_text(tables->pairing),
                                     tables->equal.groups),
                   Align::kLeft);
  table.add_column("size", Align::kLeft);
  table.add_column("median", Align::kRight);
  for (std::size_t level = 0; level < result.effects.size(); ++level) {
    table.add_column("delay", Align::kRight);
    table.add_column("found", Align::kRight, true);
  }
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const SelfTestCell& cell = result.cells[i];
    std::vector<std::string> fields{cell.cell.operation, size_text(cell.cell),
                                    time_text({.median_ns = cell.median_ns}).estimate};
    for (std::size_t level = 0; level < result.effects.size(); ++level) {
      fields.push_back(fmt::format("{:.1f} %", 100 * cell.effects[level]));
      const bool judged = tables != nullptr && i < tables->power[level].found_by_cell.size();
      fields.push_back(!cell.testable[level] ? "not testable"
                       : judged              ? share_text(tables->power[level].found_by_cell[i])
                                             : "-");
    }
    table.add_row(std::move(fields));
  }
  return table.text();
}

void write_power(base::JsonWriter& json, const SelfTest& result, const SelfTestTables& tables) {
  json.key("power").begin_array();
  for (std::size_t level = 0; level < tables.power.size(); ++level) {
    const Power& power = tables.power[level];
    json.begin_object()
        .field("effect", result.effects[level])
        .field("tables", power.tables)
        .field("found", power.found)
        .field("equivalent", power.equivalent)
        .key("found_by_cell")
        .begin_array();
    for (const std::optional<double>& share : power.found_by_cell) {
      if (share) {
        json.value(*share);
      } else {
        json.null();
      }
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string self_test_table(const SelfTest& result) {
  std::string text = "  " +
                     printable(fmt::format("{} against itself: {}, {}", result.arm.library,
                                           analysis::count_text(result.cells.size(), "cell"),
                                           analysis::count_text(result.groups, "launch group"))) +
                     "\n\n";
  if (!result.tables.empty()) text += equal_table(result) + "\n" + power_table(result) + "\n";
  text += cell_table(result) + "\n";
  text += wrapped(
      "  ",
      fmt::format("tables do not share a group; a false verdict says faster or slower where "
                  "nothing differs; at most: so many agree with alpha {} (99 %, one-sided); a "
                  "delay is planted into one of {} cells at a time; inside a launch: two cells "
                  "of one launch, paired by rounds",
                  analysis::number_text(result.alpha), result.cells.size()));
  text += wrapped(
      "  ", fmt::format("tools that take repetitions for independent (Welch's t on one launch "
                        "each) would call {} of the equal cells different",
                        percent_text(result.raw_welch_share)));
  for (const std::string& problem : result.problems) text += wrapped("  does not hold: ", problem);
  for (const std::string& warning : result.warnings) text += wrapped("  look at: ", warning);
  if (!result.dir.empty()) {
    const std::string dir = base::shell_quoted(result.dir.string());
    text +=
        "  data: " + printable(dir) + "   again: invar self-test --from " + printable(dir) + "\n";
  }
  return text + "\n" + printable(result.sentence) + "\n";
}

std::string self_test_csv(const SelfTest& result) {
  std::string text =
      "pairing,groups,tables,level,operation,size_bytes,median_ns,delay_ns,effect,testable,found,"
      "tables_wrong,tables_limit\n";
  for (const SelfTestTables& tables : result.tables) {
    const std::string head = fmt::format("{},{},{}", pairing_name(tables.pairing),
                                         tables.equal.groups, tables.equal.tables);
    text += fmt::format("{},0,,,,0,0,,,{},{}\n", head, tables.equal.tables_wrong,
                        tables.equal.tables_limit);
    for (std::size_t level = 0; level < tables.power.size(); ++level) {
      for (std::size_t i = 0; i < result.cells.size(); ++i) {
        const SelfTestCell& cell = result.cells[i];
        const auto& by_cell = tables.power[level].found_by_cell;
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},,\n", head, level + 1, cell.cell.operation,
            cell.cell.size_bytes ? std::to_string(*cell.cell.size_bytes) : "",
            base::shortest_text(cell.median_ns), base::shortest_text(cell.delays_ns[level]),
            base::shortest_text(cell.effects[level]), cell.testable[level] ? "yes" : "no",
            i < by_cell.size() ? number_field(by_cell[i]) : "");
      }
    }
  }
  return text;
}

void write_self_test(base::JsonWriter& json, const SelfTest& result) {
  json.begin_object()
      .field("schema", 1)
      .field("sentence", result.sentence)
      .field("scope", result.scope)
      .field("holds", result.problems.empty() && !result.tables.empty());
  json.key("arms").begin_array();
  write_arm(json, result.arm);
  json.end_array()
      .field("groups", result.groups)
      .field("alpha", result.alpha)
      .field("min_effect", result.min_effect)
      .field("raw_welch_share", result.raw_welch_share)
      .field("delay_check", result.delay_check)
      .key("cells")
      .begin_array();
  for (const SelfTestCell& cell : result.cells) {
    json.begin_object();
    write_levels(json, cell.cell);
    json.field("median_ns", cell.median_ns).key("planted").begin_array();
    for (std::size_t level = 0; level < cell.effects.size(); ++level) {
      json.begin_object()
          .field("delay_ns", cell.delays_ns[level])
          .field("effect", cell.effects[level])
          .field("testable", static_cast<bool>(cell.testable[level]))
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("tables").begin_array();
  for (const SelfTestTables& tables : result.tables) {
    const analysis::FalseVerdicts& equal = tables.equal;
    std::optional<double> low;
    std::optional<double> high;
    if (equal.uncorrected_interval) {
      low = equal.uncorrected_interval->low;
      high = equal.uncorrected_interval->high;
    }
    json.begin_object()
        .field("pairing", pairing_name(tables.pairing))
        .field("groups", equal.groups)
        .field("tables", equal.tables)
        .field("tables_wrong", equal.tables_wrong)
        .field("tables_limit", equal.tables_limit)
        .field("cells", equal.cells)
        .field("cells_wrong", equal.cells_wrong)
        .field("uncorrected_share", equal.uncorrected_share)
        .field("uncorrected_low", low)
        .field("uncorrected_high", high);
    write_power(json, result, tables);
    json.end_object();
  }
  json.end_array().key("problems").begin_array();
  for (const std::string& problem : result.problems) json.value(problem);
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : result.warnings) json.value(warning);
  json.end_array().end_object();
}

std::string self_test_json(const SelfTest& result) {
  base::JsonWriter json;
  write_self_test(json, result);
  return json.text() + "\n";
}

}  // namespace invar::report
