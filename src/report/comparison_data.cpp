// A comparison for machines.
#include "base/json_writer.hpp"
#include "report/cell_json.hpp"
#include "report/compared_cell.hpp"
#include "report/comparison.hpp"

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

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  base::JsonWriter json;
  json.begin_object()
      .field("schema", 1)
      .field("sentence", comparison.sentence)
      .field("scope", comparison.scope)
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
  json.key("warnings").begin_array();
  for (const std::string& warning : comparison.warnings) json.value(warning);
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string comparison_csv(const Comparison& comparison) {
  std::string text = compared_csv_header() + "\n";
  for (const ComparedCell& row : comparison.cells) text += compared_csv(row) + "\n";
  return text;
}

}  // namespace invar::report
