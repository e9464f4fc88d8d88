#include "report/kit/compared_cell.hpp"

#include <optional>
#include <vector>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "report/kit/cell_json.hpp"
#include "report/kit/numbers.hpp"

namespace invar::report {
namespace {

using analysis::ComparedCell;

struct TimeFields {
  std::optional<double> median_ns = {};
  std::optional<double> low_ns = {};
  std::optional<double> high_ns = {};
};

TimeFields fields_of(const std::optional<analysis::TimeEstimate>& time) {
  if (!time) return {};
  TimeFields fields{.median_ns = time->median_ns};
  if (time->interval_ns) {
    fields.low_ns = time->interval_ns->low;
    fields.high_ns = time->interval_ns->high;
  }
  return fields;
}

std::optional<double> low_of(const std::optional<stats::Interval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}

std::optional<double> high_of(const std::optional<stats::Interval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

std::optional<std::string> verdict_of(const ComparedCell& row) {
  if (!row.verdict) return std::nullopt;
  return std::string(stats::to_string(*row.verdict));
}

std::optional<std::string> doubt_of(const ComparedCell& row) {
  switch (row.doubt) {
    case analysis::Doubt::kDisagree:
      return "disagree";
    case analysis::Doubt::kShares:
      return "shares";
    case analysis::Doubt::kTimes:
      return "times";
    case analysis::Doubt::kBatches:
      return "batches";
    case analysis::Doubt::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace

void write_compared(base::JsonWriter& json, const ComparedCell& row) {
  const TimeFields a = fields_of(row.time_a);
  const TimeFields b = fields_of(row.time_b);
  write_levels(json, row.cell);
  json.field("regime", row.regime)
      .field("arm_a", row.arm_a)
      .field("arm_b", row.arm_b)
      .field("median_a_ns", a.median_ns)
      .field("low_a_ns", a.low_ns)
      .field("high_a_ns", a.high_ns)
      .field("median_b_ns", b.median_ns)
      .field("low_b_ns", b.low_ns)
      .field("high_b_ns", b.high_ns)
      .field("ratio", row.ratio)
      .field("ratio_low", low_of(row.ratio_interval))
      .field("ratio_high", high_of(row.ratio_interval))
      .field("launches", row.launches)
      .field("p", row.p)
      .field("p_adjusted", row.p_adjusted)
      .field("verdict", verdict_of(row))
      .field("look", row.look)
      .field("doubt", doubt_of(row));
}

std::string compared_csv_header(const FactorColumns& factors) {
  std::string text;
  for (const record::Factor* factor : factors) text += std::string(factor->name) + ",";
  return text +
         "regime,arm_a,arm_b,median_a_ns,low_a_ns,high_a_ns,median_b_ns,low_b_ns,high_b_ns,ratio,"
         "ratio_low,ratio_high,launches,p,p_adjusted,verdict,look,doubt";
}

std::string compared_csv(const ComparedCell& row, const FactorColumns& factors) {
  const TimeFields a = fields_of(row.time_a);
  const TimeFields b = fields_of(row.time_b);
  std::vector<std::string> fields;
  for (const record::Factor* factor : factors) {
    fields.push_back(base::csv_field(factor->text(row.cell)));
  }
  fields.push_back(base::csv_field(row.regime.value_or("")));
  fields.push_back(base::csv_field(row.arm_a));
  fields.push_back(base::csv_field(row.arm_b));
  for (const auto& number : {a.median_ns, a.low_ns, a.high_ns, b.median_ns, b.low_ns, b.high_ns,
                             row.ratio, low_of(row.ratio_interval), high_of(row.ratio_interval)}) {
    fields.push_back(number_field(number));
  }
  fields.push_back(std::to_string(row.launches));
  fields.push_back(number_field(row.p));
  fields.push_back(number_field(row.p_adjusted));
  fields.push_back(verdict_of(row).value_or(""));
  fields.push_back(row.look ? std::to_string(*row.look) : "");
  fields.push_back(doubt_of(row).value_or(""));
  return base::join(fields, ",");
}

void write_arm(base::JsonWriter& json, const analysis::ComparedArm& arm) {
  json.begin_object()
      .field("label", arm.label)
      .field("library", arm.library)
      .field("version", arm.library_version)
      .field("program", arm.program.empty() ? std::nullopt : std::optional(arm.program))
      .key("settings")
      .begin_object();
  for (const auto& [name, value] : arm.settings) json.field(name, value);
  json.end_object().field("launches", arm.launches).end_object();
}

}  // namespace invar::report
