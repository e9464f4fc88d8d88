#include "report/answers/sync_bias.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "report/kit/cell_columns.hpp"
#include "report/kit/compared_cell.hpp"
#include "report/kit/numbers.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::ArmShape;
using analysis::SyncBias;
using analysis::SyncBiasRow;

SyncColumns columns_of(const SyncBias& bias) {
  std::vector<record::Cell> cells;
  for (const SyncBiasRow& row : bias.rows) cells.push_back(row.compared.cell);
  return SyncColumns(std::move(cells));
}

bool one_pair(const SyncBias& bias) {
  return std::ranges::all_of(bias.rows, [&](const SyncBiasRow& row) {
    return row.compared.arm_a == bias.rows.front().compared.arm_a &&
           row.compared.arm_b == bias.rows.front().compared.arm_b;
  });
}

void add_left(TextTable& table, const SyncColumns& columns, bool pairs) {
  for (const std::string& header : columns.headers()) table.add_column(header, Align::kLeft);
  table.add_column(pairs ? "arms" : "", Align::kLeft);
}

// How the columns of a pair's arms are headed.
struct PairNames {
  std::string a;
  std::string b;
};
PairNames pair_names(const SyncBias& bias) {
  if (!one_pair(bias)) return {"first", "second"};
  const analysis::ComparedCell& first = bias.rows.front().compared;
  return {first.arm_a, first.arm_b};
}

std::vector<std::string> left_fields(const SyncColumns& columns, const SyncBiasRow& row,
                                     bool pairs) {
  std::vector<std::string> fields = columns.fields(row.compared.cell);
  fields.push_back(pairs ? row.compared.arm_a + ", " + row.compared.arm_b : "");
  return fields;
}

std::string times_table(const SyncBias& bias) {
  const SyncColumns columns = columns_of(bias);
  const bool pairs = !one_pair(bias);
  const PairNames names = pair_names(bias);
  TextTable table;
  add_left(table, columns, pairs);
  for (const std::string& header : {names.a, names.b, names.b + "/" + names.a}) {
    table.add_column(header, Align::kRight);
    table.add_column("", Align::kLeft, true);
  }
  table.add_column("verdict", Align::kLeft);
  for (const SyncBiasRow& row : bias.rows) {
    std::vector<std::string> fields = left_fields(columns, row, pairs);
    for (const auto& time : {row.compared.time_a, row.compared.time_b}) {
      append(fields, time ? time_text(*time) : EstimateText{});
    }
    append(fields, row.compared.ratio ? ratio_text(*row.compared.ratio, row.compared.ratio_interval)
                                      : EstimateText{});
    fields.push_back(verdict_text(row.compared));
    table.add_row(std::move(fields));
  }
  return table.text();
}

std::string modes_text(const ArmShape& shape) {
  if (shape.repetitions.visits == 0) return {};
  return std::to_string(shape.repetitions.modes) + " (" +
         analysis::percent_text(shape.repetitions.several) + ")";
}

std::string shapes_table(const SyncBias& bias) {
  const SyncColumns columns = columns_of(bias);
  const bool pairs = !one_pair(bias);
  const PairNames names = pair_names(bias);
  TextTable table;
  add_left(table, columns, pairs);
  for (const char* what : {"modes: ", "sd of visits: ", "of repetitions: "}) {
    table.add_column(what + names.a, Align::kRight);
    table.add_column(names.b, Align::kRight);
  }
  for (const SyncBiasRow& row : bias.rows) {
    std::vector<std::string> fields = left_fields(columns, row, pairs);
    for (const ArmShape& shape : {row.a, row.b}) fields.push_back(modes_text(shape));
    for (const ArmShape& shape : {row.a, row.b}) fields.push_back(log_sd_text(shape.sd_visits));
    for (const ArmShape& shape : {row.a, row.b}) {
      fields.push_back(log_sd_text(shape.repetitions.sd_repetitions));
    }
    table.add_row(std::move(fields));
  }
  return table.text();
}

std::string reading(const SyncBias& bias) {
  const analysis::Comparison& comparison = bias.comparison;
  return std::string("times: ") + (comparison.global_runtime ? "global" : "local") +
         " run-time, median over groups, " + analysis::percent_text(1 - comparison.alpha) +
         "; ratios: paired, corrected for " +
         analysis::count_text(comparison.comparisons, "comparison") +
         "; modes: of the repetitions of a typical visit (and the share of visits with more than "
         "one: 5 % would be chance); sd: of the visits' medians inside a launch, of repetitions "
         "inside a visit";
}

void write_shape(base::JsonWriter& json, const ArmShape& shape, const std::string& arm) {
  const bool any = shape.repetitions.visits > 0;
  json.field("visits_" + arm, shape.repetitions.visits)
      .field("modes_" + arm, any ? std::optional(shape.repetitions.modes) : std::nullopt)
      .field("several_modes_" + arm, any ? std::optional(shape.repetitions.several) : std::nullopt)
      .field("sd_log_visits_" + arm, shape.sd_visits)
      .field("sd_log_repetitions_" + arm, shape.repetitions.sd_repetitions);
}

std::string shape_csv(const ArmShape& shape) {
  std::string text = "," + std::to_string(shape.repetitions.visits) + ",";
  if (shape.repetitions.visits > 0) {
    text += std::to_string(shape.repetitions.modes) + "," + number_field(shape.repetitions.several);
  } else {
    text += ",";
  }
  return text + "," + number_field(shape.sd_visits) + "," +
         number_field(shape.repetitions.sd_repetitions);
}

}  // namespace

std::string sync_bias_table(const SyncBias& bias) {
  std::string text;
  if (!bias.rows.empty()) {
    const std::string place = columns_of(bias).place();
    if (!place.empty()) text += "  " + printable(place) + "\n\n";
    text += times_table(bias) + "\n" + shapes_table(bias) + "\n" + wrapped("  ", reading(bias));
  }
  for (const std::string& warning : bias.comparison.warnings) {
    text += wrapped("  look at: ", warning);
  }
  for (const auto& dir : bias.comparison.dirs) {
    text += "  data: " + printable(base::shell_quoted(dir.string())) + "\n";
  }
  // One line, however long, for grep and tail.
  return text + "\n" + printable(bias.sentence) + "\n";
}

std::string sync_bias_csv(const SyncBias& bias) {
  std::vector<record::Cell> cells;
  for (const SyncBiasRow& row : bias.rows) cells.push_back(row.compared.cell);
  const FactorColumns factors = record::written_factors(cells);
  std::string text = compared_csv_header(factors);
  for (const char* arm : {"a", "b"}) {
    for (const char* name :
         {"visits_", "modes_", "several_modes_", "sd_log_visits_", "sd_log_repetitions_"}) {
      text += std::string(",") + name + arm;
    }
  }
  text += "\n";
  for (const SyncBiasRow& row : bias.rows) {
    text += compared_csv(row.compared, factors) + shape_csv(row.a) + shape_csv(row.b) + "\n";
  }
  return text;
}

void write_sync_bias(base::JsonWriter& json, const SyncBias& bias) {
  json.begin_object()
      .field("schema", 1)
      .field("sentence", bias.sentence)
      .field("scope", bias.comparison.scope)
      .field("runtime", bias.comparison.global_runtime ? "global" : "local")
      .key("arms")
      .begin_array();
  for (const analysis::ComparedArm& arm : bias.comparison.arms) write_arm(json, arm);
  json.end_array().key("cells").begin_array();
  for (const SyncBiasRow& row : bias.rows) {
    json.begin_object();
    write_compared(json, row.compared);
    write_shape(json, row.a, "a");
    write_shape(json, row.b, "b");
    json.end_object();
  }
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : bias.comparison.warnings) json.value(warning);
  json.end_array().end_object();
}

std::string sync_bias_json(const SyncBias& bias) {
  base::JsonWriter json;
  write_sync_bias(json, bias);
  return json.text() + "\n";
}

}  // namespace invar::report
