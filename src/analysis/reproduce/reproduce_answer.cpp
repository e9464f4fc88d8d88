// How far apart repeats are, as an answer: what is shown of it, and every row for CSV.
#include <algorithm>

#include "analysis/reproduce/reproduce.hpp"
#include "analysis/reproduce/reproduce_facts.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

Word taken_word(Taken taken) {
  const char* words = taken == Taken::kAnswer   ? "answer"
                      : taken == Taken::kOneRun ? "one run"
                                                : "same time";
  return {.name = std::string(taken_name(taken)), .words = words};
}

// Median, worst, and the cell and arm that it is of.
void append_summary(const Reproduced& result, const ReproducedMethod& method,
                    const std::optional<SpreadSummary>& summary, std::vector<Value>& row) {
  if (!summary) {
    row.resize(row.size() + 3);
    return;
  }
  const ReproducedCell& worst = method.cells[summary->worst_cell];
  const record::CellTexts text(result.cells);
  row.emplace_back(summary->median);
  row.emplace_back(summary->worst);
  row.emplace_back(text(result.cells[worst.cell]) + ", " + result.arms[worst.arm].label);
}

// A line a method: `what` (times, ratios), and one column of its own.
TidyTable methods_table(const char* what, const char* own) {
  return {.columns = {{.name = "method"},
                      {.name = "number", .kind = Kind::kVerdict},
                      {.name = "own"},
                      {.name = "median", .kind = Kind::kShare},
                      {.name = "worst", .kind = Kind::kShare},
                      {.name = "of"}},
          .shown = {{.header = what, .column = "method"},
                    {.header = "number", .column = "number"},
                    {.header = own, .column = "own", .right = true},
                    {.header = "median", .column = "median", .absent = "-"},
                    {.header = "worst", .column = "worst", .absent = "-"},
                    {.header = "of", .column = "of"}}};
}

TidyTable times_table(const Reproduced& result) {
  TidyTable table = methods_table("times", "machine time");
  for (const ReproducedMethod& method : result.methods) {
    std::vector<double> seconds = method.machine_s;
    std::vector<Value> row{
        method.name, taken_word(method.taken),
        method.shares_time ? "(invar's)" : base::span_text(stats::median_in_place(seconds))};
    append_summary(result, method, method.times, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

TidyTable ratios_table(const Reproduced& result) {
  TidyTable table = methods_table("ratios", "winner changes");
  for (const ReproducedMethod& method : result.methods) {
    std::vector<Value> row{
        method.name, taken_word(method.taken),
        std::to_string(method.winners_changed) + " of " + std::to_string(method.comparisons)};
    append_summary(result, method, method.ratios, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::size_t count_of(const std::vector<std::optional<double>>& values) {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [](const auto& value) { return value.has_value(); }));
}

void append_spread(std::vector<Value>& row, const std::optional<Spread>& spread) {
  row.push_back(spread ? Value(spread->least) : Value());
  row.push_back(spread ? Value(spread->largest) : Value());
  row.push_back(spread ? Value(spread->spread) : Value());
}

// `visit`(method, row), cell by cell.
template <typename Visit>
void each_row(const Reproduced& result, const Visit& visit) {
  for (std::size_t i = 0; i < result.methods.front().cells.size(); ++i) {
    for (const ReproducedMethod& method : result.methods) visit(method, method.cells[i]);
  }
}

TidyTable cells_table(const Reproduced& result) {
  TidyTable table{.id = "cells",
                  .columns = {{.name = "cell", .kind = Kind::kCell},
                              {.name = "arm"},
                              {.name = "method"},
                              {.name = "number", .kind = Kind::kVerdict},
                              {.name = "repeats", .kind = Kind::kCount},
                              {.name = "least_ns", .kind = Kind::kTime},
                              {.name = "largest_ns", .kind = Kind::kTime},
                              {.name = "spread", .kind = Kind::kShare},
                              {.name = "ratio_repeats", .kind = Kind::kCount},
                              {.name = "ratio_least", .kind = Kind::kRatio},
                              {.name = "ratio_largest", .kind = Kind::kRatio},
                              {.name = "ratio_spread", .kind = Kind::kShare},
                              {.name = "winner_changed", .kind = Kind::kYesNo},
                              {.name = "missing"}},
                  .in_json = false};
  each_row(result, [&](const ReproducedMethod& method, const ReproducedCell& row) {
    std::vector<Value> values{result.cells[row.cell], result.arms[row.arm].label, method.name,
                              taken_word(method.taken), count_of(row.times_ns)};
    append_spread(values, row.time);
    values.push_back(row.arm == 0 ? Value() : Value(count_of(row.ratios)));
    append_spread(values, row.ratio);
    values.push_back(row.ratio ? Value(row.winner_changed) : Value());
    values.emplace_back(row.missing);
    table.rows.push_back(std::move(values));
  });
  return table;
}

// An estimate's least and largest with what lies between, in words.
void append_spread_words(std::vector<Value>& row, const std::optional<Spread>& spread, bool time) {
  const auto text = [&](double value) {
    return time ? base::duration_text(value) : ratio_words(value);
  };
  row.push_back(spread ? text(spread->least) : "-");
  row.push_back(spread ? text(spread->largest) : "-");
  row.push_back(spread ? percent_text(spread->spread) : "-");
}

TidyTable shown_cells_table(const Reproduced& result) {
  const bool ratios = result.arms.size() > 1;
  TidyTable table{.columns = {{.name = "cell", .kind = Kind::kCell},
                              {.name = "arm"},
                              {.name = "method"},
                              {.name = "number", .kind = Kind::kVerdict}},
                  .shown = {{.column = "cell"}}};
  for (const char* name : {"arm", "method", "number"}) {
    table.shown.push_back({.header = name, .column = name});
  }
  for (const auto& [name, header] : {std::pair{"least", "least"},
                                     {"largest", "largest"},
                                     {"spread", "spread"},
                                     {"ratio_least", "ratio least"},
                                     {"ratio_largest", "largest"},
                                     {"ratio_spread", "spread"}}) {
    table.columns.push_back({.name = name});
    if (ratios || table.columns.size() < 8) {
      table.shown.push_back({.header = header, .column = name, .right = true});
    }
  }
  each_row(result, [&](const ReproducedMethod& method, const ReproducedCell& row) {
    std::vector<Value> values{result.cells[row.cell], result.arms[row.arm].label, method.name,
                              taken_word(method.taken)};
    append_spread_words(values, row.time, true);
    if (ratios && row.arm > 0) {
      append_spread_words(values, row.ratio, false);
    } else {
      values.resize(values.size() + 3);
    }
    table.rows.push_back(std::move(values));
  });
  return table;
}

std::string verdicts_text(const ReproducedMethod& ours, std::size_t repeats) {
  if (!ours.judged) return {};
  return "invar's verdicts: " + std::to_string(ours.decided_alike) + " of " +
         count_text(*ours.judged, "comparison") + " decided alike in all " +
         std::to_string(repeats) + " repeats, " + std::to_string(ours.opposite_verdicts) +
         " decided to opposite sides";
}

std::string reading(const Reproduced& result) {
  std::string text =
      "(largest - least) / least over " + std::to_string(result.repeats) +
      " repeats, median over arms and cells, and the worst; it grows with the number of repeats: "
      "compare equal ones only; machine time: of one repeat, median";
  const auto has = [&](Taken taken) {
    return std::ranges::any_of(result.methods,
                               [=](const auto& method) { return method.taken == taken; });
  };
  if (has(Taken::kOneRun)) {
    text +=
        "; one run: what a suite's first run reported, as suites are used; same time: the mean "
        "of all its runs in that time";
  }
  if (result.arms.size() > 1) {
    text += "; ratios: to " + result.arms.front().label +
            "; winner changes: its ratio is above 1 in one repeat and below in another, by more "
            "than " +
            percent_text(result.min_effect);
  }
  return text;
}

}  // namespace

Answer answer_of(const Reproduced& result, bool cells) {
  Answer answer{.question = "reproduce",
                .sentence = result.sentence,
                .scope = result.scope,
                .facts = reproduce_facts(result),
                .tables = {cells_table(result), times_table(result)},
                .warnings = result.warnings,
                .health = result.health};
  if (result.arms.size() > 1) answer.tables.push_back(ratios_table(result));
  if (cells) answer.tables.push_back(shown_cells_table(result));
  const std::string verdicts = verdicts_text(result.methods.front(), result.repeats);
  if (!verdicts.empty()) answer.notes.push_back(verdicts);
  answer.notes.push_back(reading(result));
  answer.notes.push_back(result.scope);
  std::vector<std::string> dirs;
  for (const auto& dir : result.dirs) dirs.push_back(base::shell_quoted(dir.string()));
  answer.next = {{"again", "invar reproduce " + base::join(dirs, " ")}};
  if (!cells) answer.next.push_back({"each cell", "--cells"});
  return answer;
}

}  // namespace invar::analysis
