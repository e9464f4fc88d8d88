#include "analysis/compare/compared_table.hpp"

#include <array>

#include "analysis/p2p/rates.hpp"
#include "analysis/words/cell_columns.hpp"
#include "analysis/words/numbers.hpp"
#include "base/text.hpp"
#include "record/factors.hpp"

namespace invar::analysis {
namespace {

std::optional<std::string> doubt_name(Doubt doubt) {
  switch (doubt) {
    case Doubt::kDisagree:
      return "disagree";
    case Doubt::kWeighs:
      return "weighs";
    case Doubt::kShares:
      return "shares";
    case Doubt::kTimes:
      return "times";
    case Doubt::kBatches:
      return "batches";
    case Doubt::kSessions:
      return "sessions";
    case Doubt::kNone:
      break;
  }
  return std::nullopt;
}

// What both times are; sides that rest on fewer launches than the other one may differ in it.
std::optional<std::string> estimates_of(const ComparedCell& row) {
  if (!row.time_a && !row.time_b) return std::nullopt;
  const std::string a = estimate_name((row.time_a ? row.time_a : row.time_b)->estimate);
  const std::string b = estimate_name((row.time_b ? row.time_b : row.time_a)->estimate);
  return a == b ? a : a + ", " + b;
}

}  // namespace

void append_interval(std::vector<Value>& row, const std::optional<stats::Interval>& interval) {
  row.push_back(interval ? Value(interval->low) : Value());
  row.push_back(interval ? Value(interval->high) : Value());
}

void append_time(std::vector<Value>& row, const std::optional<TimeEstimate>& time) {
  row.push_back(time ? Value(time->median_ns) : Value());
  append_interval(row, time ? time->interval_ns : std::nullopt);
}

std::vector<TidyColumn> compared_columns() {
  return {{.name = "cell", .kind = Kind::kCell},
          {.name = "regime"},
          {.name = "arm_a"},
          {.name = "arm_b"},
          {.name = "median_a_ns", .kind = Kind::kTime, .low = "low_a_ns", .high = "high_a_ns"},
          {.name = "low_a_ns", .kind = Kind::kTime},
          {.name = "high_a_ns", .kind = Kind::kTime},
          {.name = "median_b_ns", .kind = Kind::kTime, .low = "low_b_ns", .high = "high_b_ns"},
          {.name = "low_b_ns", .kind = Kind::kTime},
          {.name = "high_b_ns", .kind = Kind::kTime},
          {.name = "ratio", .kind = Kind::kRatio, .low = "ratio_low", .high = "ratio_high"},
          {.name = "ratio_low", .kind = Kind::kRatio},
          {.name = "ratio_high", .kind = Kind::kRatio},
          {.name = "launches", .kind = Kind::kCount},
          {.name = "p", .kind = Kind::kP},
          {.name = "p_adjusted", .kind = Kind::kP},
          {.name = "verdict", .kind = Kind::kVerdict},
          {.name = "look", .kind = Kind::kCount},
          {.name = "doubt"},
          {.name = "estimate"}};
}

std::vector<Value> compared_values(const ComparedCell& row) {
  std::vector<Value> values{row.cell, row.regime, row.arm_a, row.arm_b};
  append_time(values, row.time_a);
  append_time(values, row.time_b);
  values.emplace_back(row.ratio);
  append_interval(values, row.ratio_interval);
  values.emplace_back(row.launches);
  values.emplace_back(row.p);
  values.emplace_back(row.p_adjusted);
  Word verdict{.words = verdict_text(row)};
  if (row.verdict) verdict.name = verdict_name(*row.verdict);
  values.emplace_back(std::move(verdict));
  values.emplace_back(row.look);
  values.emplace_back(doubt_name(row.doubt));
  values.emplace_back(estimates_of(row));
  return values;
}

std::optional<double> moved_gb_s(const std::optional<double>& bytes,
                                 const std::optional<TimeEstimate>& time) {
  if (!bytes || !time) return std::nullopt;
  const std::optional<Rate> rate = bandwidth_gb_s(*time, *bytes);
  return rate ? std::optional(rate->value) : std::nullopt;
}

std::string bandwidth_reading() {
  return "GB/s: of messages all bytes that a call moves over its time, of collectives the size "
         "over the time (what memory or network carry is more or less, as the algorithm goes); "
         "10^9 bytes a second";
}

TidyTable compact_table(const Comparison& comparison) {
  std::vector<const ComparedCell*> rows;
  std::vector<record::Cell> cells;
  for (const ComparedCell& row : comparison.cells) {
    if (row.regime) continue;
    rows.push_back(&row);
    cells.push_back(row.cell);
  }
  std::vector<record::Factor> factors;
  for (const char* name : {"operation", "size_bytes", "ranks"}) {
    factors.push_back(*record::find_factor(name));
  }
  for (const record::Factor& factor : varying_factors(cells)) {
    if (factor.name != "ranks") factors.push_back(factor);
  }
  constexpr std::array kKept{"arm_a",       "arm_b",    "median_a_ns", "low_a_ns", "high_a_ns",
                             "median_b_ns", "low_b_ns", "high_b_ns",   "ratio",    "ratio_low",
                             "ratio_high",  "launches", "p_adjusted",  "verdict"};
  const TidyTable all{.columns = compared_columns()};
  TidyTable table{.id = "answers"};
  for (const record::Factor& factor : factors) {
    table.columns.push_back({.name = std::string(factor.name)});
  }
  if (!comparison.against.empty()) table.columns.push_back({.name = "in_arm"});
  for (const char* name : kKept) {
    table.columns.push_back({.name = name, .kind = all.columns[column_index(all, name)].kind});
  }
  for (const ComparedCell* row : rows) {
    std::vector<Value>& values = table.rows.emplace_back();
    for (const record::Factor& factor : factors) {
      const std::string level = factor.text(row->cell);
      values.push_back(level.empty() ? Value() : Value(level));
    }
    if (!comparison.against.empty()) values.emplace_back(row->in_arm);
    const std::vector<Value> compared = compared_values(*row);
    for (const char* name : kKept) values.push_back(compared[column_index(all, name)]);
  }
  return table;
}

std::optional<Remark> arms_remark(std::span<const ComparedArm> arms) {
  std::vector<std::string> texts;
  for (const ComparedArm& arm : arms) {
    if (arm.settings.empty()) continue;
    std::vector<std::string> settings;
    for (const auto& [name, value] : arm.settings) settings.push_back(name + '=' + value);
    texts.push_back(arm.label + ": " + arm.library + " with " + base::join(settings, ", "));
  }
  if (texts.empty()) return std::nullopt;
  return Remark{.label = "settings", .text = base::join(texts, "; ")};
}

Value arm_value(const ComparedArm& arm) {
  Record settings;
  for (const auto& [name, value] : arm.settings) settings.push_back({name, value});
  return Record{{"label", arm.label},
                {"library", arm.library},
                {"version", arm.library_version},
                {"program", arm.program.empty() ? Value() : Value(arm.program)},
                {"settings", std::move(settings)},
                {"launches", arm.launches}};
}

Value arms_value(std::span<const ComparedArm> arms) {
  List list;
  for (const ComparedArm& arm : arms) list.push_back(arm_value(arm));
  return list;
}

}  // namespace invar::analysis
