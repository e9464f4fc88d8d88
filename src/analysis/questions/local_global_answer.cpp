// Local against global run-time as an answer.
#include "analysis/compare/compared_table.hpp"
#include "analysis/questions/local_global.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/questions/varied.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/cell_columns.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// The verdict speaks of run-times, not of arms.
std::string runtime_verdict(const ComparedCell& row) {
  if (row.verdict == stats::Verdict::kFaster) return "local shorter";
  if (row.verdict == stats::Verdict::kSlower) return "global shorter";
  return row.verdict ? verdict_text(row) : "no verdict";
}

std::vector<record::Cell> rows_cells(const LocalGlobal& result) {
  std::vector<record::Cell> cells;
  for (const LocalGlobalRow& row : result.rows) cells.push_back(row.compared.cell);
  return cells;
}

TidyTable rows_table(const LocalGlobal& result) {
  TidyTable table{.id = "cells", .columns = {{.name = "arm"}}};
  for (TidyColumn& column : compared_columns()) table.columns.push_back(std::move(column));
  table.columns.push_back(
      {.name = "skew_ns", .kind = Kind::kTime, .low = "skew_low_ns", .high = "skew_high_ns"});
  for (const char* name : {"skew_low_ns", "skew_high_ns"}) {
    table.columns.push_back({.name = name, .kind = Kind::kTime});
  }
  for (const char* name : {"local_to_first", "global_to_first"}) {
    table.columns.push_back({.name = name, .kind = Kind::kRatio});
  }
  const std::size_t verdict = column_index(table, "verdict");
  for (const LocalGlobalRow& row : result.rows) {
    std::vector<Value> values{row.arm};
    for (Value& value : compared_values(row.compared)) values.push_back(std::move(value));
    std::get<Word>(values[verdict].content).words = runtime_verdict(row.compared);
    append_time(values, row.skew);
    values.emplace_back(row.local_to_first);
    values.emplace_back(row.global_to_first);
    table.rows.push_back(std::move(values));
  }
  if (result.rows.empty()) return table;
  if (result.arms.size() > 1) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.column = "cell", .factors = sync_factors(rows_cells(result))});
  table.shown.push_back({.header = "local", .column = "median_a_ns"});
  table.shown.push_back({.header = "global", .column = "median_b_ns"});
  table.shown.push_back({.header = "global/local", .column = "ratio"});
  table.shown.push_back({.header = "start skew", .column = "skew_ns"});
  table.shown.push_back({.header = "verdict", .column = "verdict"});
  return table;
}

// What all rows have in common: the arm, the place.
std::string head_of(const LocalGlobal& result) {
  const std::string place = only_place(rows_cells(result));
  if (result.arms.size() != 1) return place;
  return result.arms.front().label + (place.empty() ? "" : ": " + place);
}

}  // namespace

Answer answer_of(const LocalGlobal& result) {
  Answer answer{.question = "local-global",
                .sentence = result.sentence,
                .scope = result.scope,
                .facts = {{"arms", arms_value(result.arms)}},
                .tables = {rows_table(result)},
                .warnings = result.warnings,
                .health = result.health};
  if (!result.rows.empty()) {
    answer.head = head_of(result);
    EstimateWords estimates;
    for (const LocalGlobalRow& row : result.rows) {
      for (const auto& time : {row.compared.time_a, row.compared.time_b, row.skew}) {
        estimates.add(time);
      }
    }
    answer.notes.push_back(
        "local: largest end - start of a rank; global: latest end - earliest start, of the same "
        "repetitions; start skew: latest - earliest start; " +
        estimates.text() + " over launches, " + percent_text(1 - result.alpha) +
        ", ratios paired by visit, corrected for " + count_text(result.comparisons, "comparison"));
  }
  if (!result.dir.empty()) answer.next = {{"data", base::shell_quoted(result.dir.string())}};
  return answer;
}

QuestionRow local_global_row() {
  return {design::Question::kLocalGlobal, local_global_lack,
          [](const Study& study, Detail) { return Answered{answer_of(local_global(study))}; },
          [](const Study& study) {
            return varies_syncs_alone(study, false) ? OnPage::kExpected : OnPage::kNo;
          }};
}

}  // namespace invar::analysis
