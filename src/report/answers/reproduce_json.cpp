// reproduce_json: every number of every repeat, for plots like figure 12 of Hunold and
// Carpen-Amarie 2016.
#include "base/json_writer.hpp"
#include "design/campaign/presets.hpp"
#include "report/answers/reproduce.hpp"
#include "report/kit/cell_json.hpp"
#include "report/kit/compared_cell.hpp"
#include "stats/decide/verdict.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::report {
namespace {

using analysis::Reproduced;
using analysis::ReproducedCell;
using analysis::ReproducedMethod;
using analysis::Spread;
using analysis::SpreadSummary;

void write_values(base::JsonWriter& json, const char* key,
                  const std::vector<std::optional<double>>& values) {
  json.key(key).begin_array();
  for (const std::optional<double>& value : values) {
    if (value) {
      json.value(*value);
    } else {
      json.null();
    }
  }
  json.end_array();
}

void write_box(base::JsonWriter& json, const stats::TukeyBox& box) {
  json.key("box")
      .begin_object()
      .field("low", box.low)
      .field("q1", box.first_quartile)
      .field("median", box.median)
      .field("q3", box.third_quartile)
      .field("high", box.high)
      .end_object();
}

void write_spread(base::JsonWriter& json, const char* key, const std::optional<Spread>& spread) {
  json.key(key);
  if (!spread) {
    json.null();
    return;
  }
  json.begin_object()
      .field("repeats", spread->repeats)
      .field("least", spread->least)
      .field("largest", spread->largest)
      .field("spread", spread->spread);
  write_box(json, spread->box);
  json.end_object();
}

void write_summary(base::JsonWriter& json, const char* key, const Reproduced& result,
                   const ReproducedMethod& method, const std::optional<SpreadSummary>& summary) {
  json.key(key);
  if (!summary) {
    json.null();
    return;
  }
  const ReproducedCell& worst = method.cells[summary->worst_cell];
  json.begin_object()
      .field("count", summary->count)
      .field("median", summary->median)
      .field("worst", summary->worst)
      .key("worst_cell")
      .begin_object();
  write_levels(json, result.cells[worst.cell]);
  json.end_object().field("worst_arm", result.arms[worst.arm].label);
  write_box(json, summary->box);
  json.end_object();
}

void write_cell(base::JsonWriter& json, const Reproduced& result, const ReproducedCell& row) {
  json.begin_object();
  write_levels(json, result.cells[row.cell]);
  json.field("arm", result.arms[row.arm].label);
  write_values(json, "times_ns", row.times_ns);
  write_values(json, "normalised_times", analysis::normalised(row.times_ns));
  write_spread(json, "time_ns", row.time);
  write_values(json, "ratios", row.ratios);
  write_values(json, "normalised_ratios", analysis::normalised(row.ratios));
  write_spread(json, "ratio", row.ratio);
  json.field("winner_changed", row.winner_changed).key("verdicts").begin_array();
  for (const std::optional<stats::Verdict>& verdict : row.verdicts) {
    if (verdict) {
      json.value(stats::to_string(*verdict));
    } else {
      json.null();
    }
  }
  json.end_array().field("missing",
                         row.missing.empty() ? std::nullopt : std::optional(row.missing));
  json.end_object();
}

void write_method(base::JsonWriter& json, const Reproduced& result,
                  const ReproducedMethod& method) {
  const design::Preset* preset = design::find_preset(method.name);
  std::vector<double> seconds = method.machine_s;
  json.begin_object()
      .field("method", method.name)
      .field("number", analysis::taken_name(method.taken))
      .field("suite", preset == nullptr ? std::nullopt : std::optional(preset->suite))
      .field("shares_time", method.shares_time)
      .key("machine_s")
      .begin_array();
  for (const double one_s : method.machine_s) json.value(one_s);
  json.end_array().field("median_machine_s", stats::median_in_place(seconds));
  write_summary(json, "times", result, method, method.times);
  write_summary(json, "ratios", result, method, method.ratios);
  const bool judged = method.judged.has_value();
  json.field("comparisons", method.comparisons)
      .field("winners_changed", method.winners_changed)
      .field("judged", method.judged)
      .field("opposite_verdicts", judged ? std::optional(method.opposite_verdicts) : std::nullopt)
      .field("decided_alike", judged ? std::optional(method.decided_alike) : std::nullopt)
      .key("cells")
      .begin_array();
  for (const ReproducedCell& row : method.cells) write_cell(json, result, row);
  json.end_array().end_object();
}

}  // namespace

void write_reproduced(base::JsonWriter& json, const Reproduced& result) {
  json.begin_object()
      .field("schema", 1)
      .field("sentence", result.sentence)
      .field("scope", result.scope)
      .field("repeats", result.repeats)
      .field("budget_s", result.budget_s)
      .field("min_effect", result.min_effect)
      .key("arms")
      .begin_array();
  for (const analysis::ComparedArm& arm : result.arms) write_arm(json, arm);
  json.end_array().key("methods").begin_array();
  for (const ReproducedMethod& method : result.methods) write_method(json, result, method);
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : result.warnings) json.value(warning);
  json.end_array().end_object();
}

std::string reproduce_json(const Reproduced& result) {
  base::JsonWriter json;
  write_reproduced(json, result);
  return json.text() + "\n";
}

}  // namespace invar::report
