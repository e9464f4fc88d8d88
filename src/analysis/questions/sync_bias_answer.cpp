// How much a comparison depends on the synchronisation, as an answer.
#include <algorithm>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/compared_table.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/questions/sync_bias.hpp"
#include "analysis/questions/varied.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/cell_columns.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

std::vector<record::Cell> rows_cells(const SyncBias& bias) {
  std::vector<record::Cell> cells;
  for (const SyncBiasRow& row : bias.rows) cells.push_back(row.compared.cell);
  return cells;
}

bool one_pair(const SyncBias& bias) {
  return std::ranges::all_of(bias.rows, [&](const SyncBiasRow& row) {
    return row.compared.arm_a == bias.rows.front().compared.arm_a &&
           row.compared.arm_b == bias.rows.front().compared.arm_b;
  });
}

TidyTable rows_table(const SyncBias& bias) {
  TidyTable table{.id = "cells", .columns = compared_columns()};
  for (const std::string arm : {"a", "b"}) {
    table.columns.push_back({.name = "visits_" + arm, .kind = Kind::kCount});
    table.columns.push_back({.name = "modes_" + arm, .kind = Kind::kCount});
    table.columns.push_back({.name = "several_modes_" + arm, .kind = Kind::kShare});
    table.columns.push_back({.name = "sd_log_visits_" + arm, .kind = Kind::kLogSd});
    table.columns.push_back({.name = "sd_log_repetitions_" + arm, .kind = Kind::kLogSd});
  }
  for (const SyncBiasRow& row : bias.rows) {
    std::vector<Value> values = compared_values(row.compared);
    for (const ArmShape& shape : {row.a, row.b}) {
      const bool any = shape.repetitions.visits > 0;
      values.emplace_back(shape.repetitions.visits);
      values.push_back(any ? Value(shape.repetitions.modes) : Value());
      values.push_back(any ? Value(shape.repetitions.several) : Value());
      values.emplace_back(shape.sd_visits);
      values.emplace_back(shape.repetitions.sd_repetitions);
    }
    table.rows.push_back(std::move(values));
  }
  return table;
}

std::string modes_text(const ArmShape& shape) {
  if (shape.repetitions.visits == 0) return {};
  return std::to_string(shape.repetitions.modes) + " (" + percent_text(shape.repetitions.several) +
         ")";
}

// The same rows twice below each other, because together they would be too wide: `rows` again with
// a column for the arms and texts for the modes, without any columns that are shown.
TidyTable shown_table(const SyncBias& bias, const TidyTable& rows) {
  TidyTable table{.columns = rows.columns,
                  .rows = rows.rows,
                  .shown = {{.column = "cell", .factors = sync_factors(rows_cells(bias))}}};
  for (const char* name : {"arms", "modes_text_a", "modes_text_b"}) {
    table.columns.push_back({.name = name});
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const SyncBiasRow& row = bias.rows[i];
    table.rows[i].emplace_back(row.compared.arm_a + ", " + row.compared.arm_b);
    table.rows[i].emplace_back(modes_text(row.a));
    table.rows[i].emplace_back(modes_text(row.b));
  }
  if (!one_pair(bias)) table.shown.push_back({.header = "arms", .column = "arms"});
  return table;
}

void add_shown(const SyncBias& bias, std::vector<TidyTable>& tables) {
  const ComparedCell& first = bias.rows.front().compared;
  const bool one = one_pair(bias);
  const std::string a = one ? first.arm_a : "first";
  const std::string b = one ? first.arm_b : "second";
  TidyTable times = shown_table(bias, tables.front());
  TidyTable shapes = times;
  for (ShownColumn& column : std::vector<ShownColumn>{{.header = a, .column = "median_a_ns"},
                                                      {.header = b, .column = "median_b_ns"},
                                                      {.header = b + "/" + a, .column = "ratio"},
                                                      {.header = "verdict", .column = "verdict"}}) {
    times.shown.push_back(std::move(column));
  }
  for (const auto& [what, column] : {std::pair{"modes: ", "modes_text"},
                                     {"sd of visits: ", "sd_log_visits"},
                                     {"of repetitions: ", "sd_log_repetitions"}}) {
    shapes.shown.push_back(
        {.header = what + a, .column = column + std::string("_a"), .right = true});
    shapes.shown.push_back({.header = b, .column = column + std::string("_b"), .right = true});
  }
  tables.push_back(std::move(times));
  tables.push_back(std::move(shapes));
}

std::string how_to_read_bias(const Comparison& comparison) {
  EstimateWords estimates;
  for (const ComparedCell& row : comparison.cells) {
    estimates.add(row.time_a);
    estimates.add(row.time_b);
  }
  return "times: " + runtime_words(comparison.global_runtime) + ", " + estimates.text() +
         " over groups, " + percent_text(1 - comparison.alpha) +
         "; ratios: paired, corrected for " + count_text(comparison.comparisons, "comparison") +
         "; modes: of the repetitions of a typical visit (and the share of visits with more than "
         "one: 5 % would be chance); sd: of the visits' medians inside a launch, of repetitions "
         "inside a visit";
}

}  // namespace

Answer answer_of(const SyncBias& bias) {
  const Comparison& comparison = bias.comparison;
  Answer answer{.question = "sync-bias",
                .sentence = bias.sentence,
                .scope = comparison.scope,
                .facts = {{"runtime", comparison.global_runtime ? "global" : "local"},
                          {"arms", arms_value(comparison.arms)}},
                .tables = {rows_table(bias)},
                .warnings = comparison.warnings,
                .health = comparison.health};
  if (!bias.rows.empty()) {
    answer.head = only_place(rows_cells(bias));
    add_shown(bias, answer.tables);
    answer.notes.push_back(how_to_read_bias(comparison));
  }
  for (const auto& dir : comparison.dirs) {
    answer.next.push_back({"data", base::shell_quoted(dir.string())});
  }
  return answer;
}

QuestionRow sync_bias_row() {
  return {design::Question::kSyncBias, comparison_lack,
          [](const Study& study, Detail) { return Answered{answer_of(sync_bias(study))}; },
          [](const Study& study) {
            const bool compares = study.data().arms.size() > 1;
            return compares && varies_syncs_alone(study, true) ? OnPage::kExpected : OnPage::kNo;
          }};
}

}  // namespace invar::analysis
