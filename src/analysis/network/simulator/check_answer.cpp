// A check as an answer: errors by operation, and every size.
#include <algorithm>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/network/network_rows.hpp"
#include "analysis/network/simulator/network_check.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

void begin_check(TidyTable& table) {
  add_text_columns(table, {"arm", "place", "operation"});
  table.columns.push_back({.name = "ranks", .kind = Kind::kCount});
  table.columns.push_back({.name = "calibrated", .kind = Kind::kYesNo});
  table.columns.push_back({.name = "held_out", .kind = Kind::kYesNo});
}

template <typename Row>
std::vector<Value> begin_check_row(const Row& one) {
  return {one.arm,     text_unless_empty(one.place), one.operation, one.ranks, one.calibrated,
          one.held_out};
}

bool has_arms(const NetworkCheck& check) {
  for (const CheckedErrors& one : check.errors) {
    if (one.arm != check.errors.front().arm) return true;
  }
  return false;
}

// A column that nothing stands in says nothing: the sentence says why.
bool has_usual(const NetworkCheck& check) {
  return std::ranges::any_of(check.points, [](const CheckedPoint& one) {
    return one.simulated_ns[static_cast<std::size_t>(CheckedBy::kUsual)].has_value();
  });
}

void show_who(const NetworkCheck& check, TidyTable& table) {
  if (has_arms(check)) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.header = "operation", .column = "operation"});
  table.shown.push_back({.header = "ranks", .column = "ranks"});
  table.shown.push_back({.header = "no fit saw the size", .column = "held_out"});
}

TidyTable check_errors_table(const NetworkCheck& check) {
  TidyTable table{.id = "check_errors", .title = "Simulated against measured: errors over sizes"};
  begin_check(table);
  table.columns.push_back({.name = "sizes", .kind = Kind::kCount});
  for (const char* name : {"median_error", "p95_error", "defaults_median_error",
                           "defaults_p95_error", "usual_median_error", "usual_p95_error", "bias"}) {
    table.columns.push_back({.name = name, .kind = Kind::kShare});
  }
  table.columns.push_back({.name = "elsewhere", .kind = Kind::kCount});
  add_text_columns(table, {"why"});
  for (const CheckedErrors& one : check.errors) {
    std::vector<Value> row = begin_check_row(one);
    row.emplace_back(one.sizes);
    for (const auto& spread : one.errors) {
      row.push_back(spread ? Value(spread->median) : Value());
      row.push_back(spread ? Value(spread->most) : Value());
    }
    row.emplace_back(one.bias);
    row.emplace_back(one.elsewhere);
    row.push_back(text_unless_empty(one.why));
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return table;
  show_who(check, table);
  table.shown.push_back({.header = "sizes", .column = "sizes"});
  table.shown.push_back({.header = "median", .column = "median_error", .absent = "-"});
  table.shown.push_back({.header = "95 % below", .column = "p95_error", .absent = "-"});
  table.shown.push_back({.header = "too long by", .column = "bias", .absent = "-"});
  table.shown.push_back(
      {.header = "without a calibration", .column = "defaults_median_error", .absent = "-"});
  if (has_usual(check)) {
    table.shown.push_back(
        {.header = "usual formulas", .column = "usual_median_error", .absent = "-"});
  }
  table.shown.push_back({.header = "why", .column = "why", .absent = ""});
  return table;
}

TidyTable check_points_table(const NetworkCheck& check, bool shown) {
  TidyTable table{.id = "check", .title = "Simulated against measured"};
  begin_check(table);
  add_bytes_columns(table, {"size_bytes"});
  add_model_estimate(table, "measured", Kind::kTime, "_ns");
  for (const auto& [time, error] : {std::pair("simulated_ns", "error"),
                                    {"defaults_ns", "defaults_error"},
                                    {"usual_ns", "usual_error"}}) {
    table.columns.push_back({.name = time, .kind = Kind::kTime});
    table.columns.push_back({.name = error, .kind = Kind::kShare});
  }
  table.columns.push_back({.name = "groups", .kind = Kind::kCount});
  table.columns.push_back({.name = "in_regime", .kind = Kind::kYesNo});
  for (const CheckedPoint& one : check.points) {
    std::vector<Value> row = begin_check_row(one);
    row.emplace_back(one.size_bytes);
    row.emplace_back(one.measured_ns);
    append_interval(row, one.interval_ns);
    for (std::size_t by = 0; by < kCheckedBy; ++by) {
      row.emplace_back(one.simulated_ns[by]);
      row.emplace_back(one.error(static_cast<CheckedBy>(by)));
    }
    row.emplace_back(one.groups);
    row.emplace_back(one.in_regime);
    table.rows.push_back(std::move(row));
    // What nothing was fitted to says most.
    table.weights.push_back(one.calibrated ? 0 : one.held_out ? 1 : 2);
  }
  if (table.rows.empty() || !shown) return table;
  show_who(check, table);
  table.shown.push_back({.header = "size", .column = "size_bytes"});
  table.shown.push_back({.header = "measured", .column = "measured_ns"});
  table.shown.push_back({.header = "simulated", .column = "simulated_ns", .absent = "-"});
  table.shown.push_back({.header = "error", .column = "error", .absent = "-"});
  table.shown.push_back(
      {.header = "without a calibration", .column = "defaults_ns", .absent = "-"});
  if (has_usual(check)) {
    table.shown.push_back({.header = "usual formulas", .column = "usual_ns", .absent = "-"});
  }
  const bool elsewhere =
      std::ranges::any_of(check.points, [](const CheckedPoint& one) { return !one.in_regime; });
  if (elsewhere) table.shown.push_back({.header = "model's regime", .column = "in_regime"});
  return table;
}

}  // namespace

std::vector<TidyTable> check_tables(const NetworkCheck& check, bool all) {
  std::vector<TidyTable> tables;
  tables.push_back(check_errors_table(check));
  tables.push_back(check_points_table(check, all));
  return tables;
}

Value check_value(const NetworkCheck& check) {
  return Record{{"sentence", check.sentence},
                {"measured", (check.dir / "measured").string()},
                {"simulated", (check.dir / "simulated").string()},
                {"current", check.current},
                {"ranks", check.ranks}};
}

Answer answer_of(const NetworkCheck& check) {
  Answer answer{.question = "network",
                .sentence = check.sentence,
                .scope = check.scope,
                .facts = {{"checked", check_value(check)}},
                .tables = check_tables(check, true),
                .warnings = check.warnings,
                .health = check.health};
  answer.notes = {
      "measured: of messages the model's means over launch groups, of bcast, allreduce and halo a "
      "campaign of their own; simulated: the same engine under smpirun on the platform; errors: "
      "|simulated / measured - 1|",
      "without a calibration: the cluster's latency and bandwidth alone, with SimGrid's own "
      "factors; usual formulas: those of "
      "SimGrid's platform-calibration; reductions take there what MPI_Reduce_local takes here, but "
      "for the defaults"};
  const std::string dir = base::shell_quoted(check.dir.parent_path().string());
  answer.next.push_back({"model", "invar network " + dir});
  answer.next.push_back({"data", base::shell_quoted(check.dir.string())});
  return answer;
}

}  // namespace invar::analysis
