// A comparison for machines.
#include "base/json_writer.hpp"
#include "report/answers/comparison.hpp"
#include "report/kit/cell_json.hpp"
#include "report/kit/compared_cell.hpp"
#include "report/kit/machine_json.hpp"

namespace invar::report {
namespace {

using analysis::ComparedCell;
using analysis::Comparison;

void write_best(base::JsonWriter& json, const analysis::BestArms& best) {
  json.begin_object();
  write_levels(json, best.cell);
  json.key("arms").begin_array();
  for (const std::string& arm : best.arms) json.value(arm);
  json.end_array().end_object();
}

const char* correction_name(stats::Correction correction) {
  switch (correction) {
    case stats::Correction::kBenjaminiHochberg:
      return "bh";
    case stats::Correction::kHolm:
      return "holm";
    case stats::Correction::kNone:
      break;
  }
  return "none";
}

void write_diagnosis(base::JsonWriter& json, const std::vector<analysis::CellDiagnosis>& cells) {
  json.key("diagnosis").begin_array();
  for (const analysis::CellDiagnosis& one : cells) {
    json.begin_object();
    write_levels(json, one.cell);
    json.field("arm", one.arm)
        .field("visits", one.visits)
        .field("tested_visits", one.tested_visits)
        .field("bimodal_visits", one.bimodal_visits)
        .field("effective_share", one.effective_share)
        .field("normal_means_from", one.normal_means_from)
        .field("means_w", one.means_w)
        .end_object();
  }
  json.end_array();
}

}  // namespace

void write_comparison(base::JsonWriter& json, const Comparison& comparison) {
  json.begin_object()
      .field("schema", 1)
      .field("sentence", comparison.sentence)
      .field("detail", comparison.detail)
      .field("scope", comparison.scope)
      .field("method", comparison.preset.empty() ? "invar" : comparison.preset)
      .field("runtime", comparison.global_runtime ? "global" : "local")
      .field("alpha", comparison.alpha)
      .field("min_effect", comparison.min_effect)
      .field("correction", correction_name(comparison.correction))
      .key("arms")
      .begin_array();
  for (const analysis::ComparedArm& arm : comparison.arms) write_arm(json, arm);
  json.end_array().key("cells").begin_array();
  for (const ComparedCell& row : comparison.cells) {
    json.begin_object();
    write_compared(json, row);
    json.end_object();
  }
  json.end_array();
  if (comparison.sequential) {
    json.key("looks").begin_array();
    for (const analysis::LookReport& look : comparison.looks) {
      json.begin_object()
          .field("look", look.look)
          .field("launches", static_cast<std::uint64_t>(look.launches))
          .field("alpha", look.alpha)
          .field("decided", static_cast<std::uint64_t>(look.decided))
          .end_object();
    }
    json.end_array();
  }
  if (comparison.arms.size() > 2) {
    json.key("best").begin_array();
    for (const analysis::BestArms& best : comparison.best) write_best(json, best);
    json.end_array();
  }
  write_machine(json, comparison.regimes, comparison.perturbations);
  write_diagnosis(json, comparison.diagnosis);
  json.key("warnings").begin_array();
  for (const std::string& warning : comparison.warnings) json.value(warning);
  json.end_array().end_object();
}

std::string comparison_json(const Comparison& comparison) {
  base::JsonWriter json;
  write_comparison(json, comparison);
  return json.text() + "\n";
}

std::string comparison_csv(const Comparison& comparison) {
  std::vector<record::Cell> cells;
  for (const ComparedCell& row : comparison.cells) cells.push_back(row.cell);
  const FactorColumns factors = record::written_factors(cells);
  std::string text = compared_csv_header(factors) + "\n";
  for (const ComparedCell& row : comparison.cells) text += compared_csv(row, factors) + "\n";
  return text;
}

}  // namespace invar::report
