#include "report/answers/local_global.hpp"

#include "analysis/words/words.hpp"
#include "base/csv.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "report/kit/cell_columns.hpp"
#include "report/kit/compared_cell.hpp"
#include "report/kit/numbers.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::LocalGlobal;
using analysis::LocalGlobalRow;

// The verdict speaks of run-times, not of arms.
std::string verdict_words(const LocalGlobalRow& row) {
  if (!row.compared.verdict) return "no verdict";
  switch (*row.compared.verdict) {
    case stats::Verdict::kFaster:
      return "local shorter";
    case stats::Verdict::kSlower:
      return "global shorter";
    default:
      return verdict_text(row.compared);
  }
}

SyncColumns columns_of(const LocalGlobal& answer) {
  std::vector<record::Cell> cells;
  for (const LocalGlobalRow& row : answer.rows) cells.push_back(row.compared.cell);
  return SyncColumns(std::move(cells));
}

std::string rows_table(const LocalGlobal& answer, const SyncColumns& columns) {
  const bool arms = answer.arms.size() > 1;
  TextTable table;
  table.add_column(arms ? "arm" : "", Align::kLeft);
  for (const std::string& header : columns.headers()) table.add_column(header, Align::kLeft);
  for (const char* header : {"local", "global", "global/local", "start skew"}) {
    table.add_column(header, Align::kRight);
    table.add_column("", Align::kLeft, true);
  }
  table.add_column("verdict", Align::kLeft);
  for (const LocalGlobalRow& row : answer.rows) {
    std::vector<std::string> fields{arms ? row.arm : ""};
    for (std::string& field : columns.fields(row.compared.cell)) fields.push_back(std::move(field));
    for (const auto& time : {row.compared.time_a, row.compared.time_b}) {
      append(fields, time ? time_text(*time) : EstimateText{});
    }
    append(fields, row.compared.ratio ? ratio_text(*row.compared.ratio, row.compared.ratio_interval)
                                      : EstimateText{});
    append(fields, row.skew ? time_text(*row.skew) : EstimateText{});
    fields.push_back(verdict_words(row));
    table.add_row(std::move(fields));
  }
  return table.text();
}

std::optional<double> low_of(const std::optional<analysis::TimeEstimate>& time) {
  return time && time->interval_ns ? std::optional(time->interval_ns->low) : std::nullopt;
}

std::optional<double> high_of(const std::optional<analysis::TimeEstimate>& time) {
  return time && time->interval_ns ? std::optional(time->interval_ns->high) : std::nullopt;
}

std::optional<double> median_of(const std::optional<analysis::TimeEstimate>& time) {
  return time ? std::optional(time->median_ns) : std::nullopt;
}

}  // namespace

std::string local_global_table(const LocalGlobal& answer) {
  std::string text;
  if (!answer.rows.empty()) {
    const SyncColumns columns = columns_of(answer);
    std::string head = columns.place();
    if (answer.arms.size() == 1) {
      const analysis::ComparedArm& arm = answer.arms.front();
      head = arm.label + (head.empty() ? "" : ": " + head);
    }
    if (!head.empty()) text += "  " + printable(head) + "\n\n";
    text += rows_table(answer, columns) + "\n";
    text += wrapped(
        "  ",
        "local: largest end - start of a rank; global: latest end - earliest start, of the same "
        "repetitions; start skew: latest - earliest start; medians over launches, " +
            analysis::percent_text(1 - answer.alpha) + ", ratios paired by visit, corrected for " +
            analysis::count_text(answer.comparisons, "comparison"));
  }
  for (const std::string& warning : answer.warnings) text += wrapped("  look at: ", warning);
  if (!answer.dir.empty()) {
    text += "  data: " + printable(base::shell_quoted(answer.dir.string())) + "\n";
  }
  return text + "\n" + printable(answer.sentence) + "\n";
}

std::string local_global_csv(const LocalGlobal& answer) {
  std::vector<record::Cell> cells;
  for (const LocalGlobalRow& row : answer.rows) cells.push_back(row.compared.cell);
  const FactorColumns factors = record::written_factors(cells);
  std::string text = "arm," + compared_csv_header(factors) +
                     ",skew_ns,skew_low_ns,skew_high_ns,local_to_first,global_to_first\n";
  for (const LocalGlobalRow& row : answer.rows) {
    text += base::csv_field(row.arm) + "," + compared_csv(row.compared, factors) + "," +
            number_field(median_of(row.skew)) + "," + number_field(low_of(row.skew)) + "," +
            number_field(high_of(row.skew)) + "," + number_field(row.local_to_first) + "," +
            number_field(row.global_to_first) + "\n";
  }
  return text;
}

void write_local_global(base::JsonWriter& json, const LocalGlobal& answer) {
  json.begin_object()
      .field("schema", 1)
      .field("sentence", answer.sentence)
      .field("scope", answer.scope)
      .key("arms")
      .begin_array();
  for (const analysis::ComparedArm& arm : answer.arms) write_arm(json, arm);
  json.end_array().key("cells").begin_array();
  for (const LocalGlobalRow& row : answer.rows) {
    json.begin_object().field("arm", row.arm);
    write_compared(json, row.compared);
    json.field("skew_ns", median_of(row.skew))
        .field("skew_low_ns", low_of(row.skew))
        .field("skew_high_ns", high_of(row.skew))
        .field("local_to_first", row.local_to_first)
        .field("global_to_first", row.global_to_first)
        .end_object();
  }
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : answer.warnings) json.value(warning);
  json.end_array().end_object();
}

std::string local_global_json(const LocalGlobal& answer) {
  base::JsonWriter json;
  write_local_global(json, answer);
  return json.text() + "\n";
}

}  // namespace invar::report
