// Steps as tables and as words.
#include <algorithm>

#include "analysis/compare/compared_table.hpp"
#include "analysis/steps/steps.hpp"
#include "analysis/study/study.hpp"
#include "analysis/words/numbers.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "record/factors.hpp"

namespace invar::analysis {
namespace {

// Of every curve, told apart from all others.
std::vector<std::string> place_texts(const Steps& steps) {
  std::vector<record::Cell> places;
  places.reserve(steps.curves.size());
  for (const Curve& curve : steps.curves) places.push_back(curve.place);
  const record::CellTexts text(places);
  std::vector<std::string> texts;
  texts.reserve(places.size());
  for (const record::Cell& place : places) texts.push_back(text(place));
  return texts;
}

std::string between_text(std::uint64_t low_bytes, std::uint64_t high_bytes) {
  return base::size_text(low_bytes) + " and " + base::size_text(high_bytes);
}

// Without rows there is nothing for a terminal to show.
void none(TidyTable& table, const std::string& why) {
  table.missing = table.rows.empty() ? why : std::string();
  if (table.rows.empty()) table.shown.clear();
}

// "Steps", or of which regime of the machine they are.
std::string title_of(const char* what, const Steps& steps) {
  return steps.regime.empty() ? what : std::string(what) + ", " + steps.regime;
}

std::string none_because(const Steps& steps, const std::string& nothing_found) {
  return steps.not_judged.empty() ? nothing_found : "not judged: " + steps.not_judged;
}

TidyTable table_of_steps(const Steps& steps, const std::vector<std::string>& places) {
  TidyTable table{.id = "steps",
                  .title = title_of("Steps", steps),
                  .columns = {{.name = "arm"},
                              {.name = "place"},
                              {.name = "between"},
                              {.name = "low_bytes", .kind = Kind::kBytes},
                              {.name = "high_bytes", .kind = Kind::kBytes},
                              {.name = "height",
                               .kind = Kind::kRatio,
                               .low = "height_low",
                               .high = "height_high"},
                              {.name = "height_low", .kind = Kind::kRatio},
                              {.name = "height_high", .kind = Kind::kRatio},
                              {.name = "p_adjusted", .kind = Kind::kP},
                              {.name = "protocol"}},
                  .shown = {{.header = "arm", .column = "arm"},
                            {.header = "curve", .column = "place"},
                            {.header = "step between", .column = "between"},
                            {.header = "time above / below", .column = "height"},
                            {.header = "p", .column = "p_adjusted"},
                            {.header = "protocol", .column = "protocol"}}};
  for (const Step& step : steps.steps) {
    table.rows.push_back({steps.curves.at(step.curve).label, places.at(step.curve),
                          between_text(step.low_bytes, step.high_bytes), step.low_bytes,
                          step.high_bytes, step.height, step.low, step.high, step.p_adjusted,
                          step.protocol.empty() ? Value() : Value(step.protocol)});
  }
  none(table, none_because(steps, "no curve was found to jump by more than its tolerance"));
  return table;
}

TidyTable table_of_bends(const Steps& steps, const std::vector<std::string>& places) {
  TidyTable table{.id = "bends",
                  .title = title_of("Bends", steps),
                  .columns = {{.name = "arm"},
                              {.name = "place"},
                              {.name = "between"},
                              {.name = "low_bytes", .kind = Kind::kBytes},
                              {.name = "high_bytes", .kind = Kind::kBytes},
                              {.name = "slope_below_ns", .kind = Kind::kNumber},
                              {.name = "slope_above_ns", .kind = Kind::kNumber},
                              {.name = "p_adjusted", .kind = Kind::kP}},
                  .shown = {{.header = "arm", .column = "arm"},
                            {.header = "curve", .column = "place"},
                            {.header = "bend between", .column = "between"},
                            {.header = "ns a byte below", .column = "slope_below_ns"},
                            {.header = "above", .column = "slope_above_ns"},
                            {.header = "p", .column = "p_adjusted"}}};
  for (const Bend& bend : steps.bends) {
    table.rows.push_back({steps.curves.at(bend.curve).label, places.at(bend.curve),
                          between_text(bend.low_bytes, bend.high_bytes), bend.low_bytes,
                          bend.high_bytes, bend.slope_below_ns, bend.slope_above_ns,
                          bend.p_adjusted});
  }
  none(table, none_because(steps, "no curve was found to bend by more than its tolerance"));
  return table;
}

TidyTable table_of_curves(const Steps& steps, const std::vector<std::string>& places) {
  TidyTable table{
      .id = "curves",
      .title = title_of("Curves", steps),
      .columns = {{.name = "arm"},
                  {.name = "place"},
                  {.name = "size_bytes", .kind = Kind::kBytes},
                  {.name = "time_ns", .kind = Kind::kTime, .low = "low_ns", .high = "high_ns"},
                  {.name = "low_ns", .kind = Kind::kTime},
                  {.name = "high_ns", .kind = Kind::kTime}}};
  for (std::size_t i = 0; i < steps.curves.size(); ++i) {
    for (const CurvePoint& point : steps.curves[i].points) {
      std::vector<Value> row{steps.curves[i].label, places[i], point.size_bytes};
      append_time(row, point.time);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

std::vector<TidyTable> steps_tables(const Steps& steps) {
  const std::vector<std::string> places = place_texts(steps);
  return {table_of_steps(steps, places), table_of_bends(steps, places),
          table_of_curves(steps, places)};
}

std::string steps_text(const Steps& steps) {
  if (steps.curves.empty()) return "no curve was measured";
  if (!steps.not_judged.empty()) return "not judged: " + steps.not_judged;
  const std::string scope = steps.regime.empty() ? std::string() : ": " + steps.regime;
  if (steps.steps.empty()) {
    const bool any = std::ranges::any_of(steps.curves, &Curve::judged);
    return any ? "none found" + scope
               : "not judged: too few sizes, or too few launch groups with them" + scope;
  }
  constexpr std::size_t kMostListed = 4;
  const std::vector<std::string> places = place_texts(steps);
  const bool one_place = std::ranges::all_of(
      places, [&](const std::string& place) { return place == places.front(); });
  std::vector<std::string> texts;
  for (const Step& step : steps.steps) {
    std::string text = steps.curves.at(step.curve).label;
    if (!one_place) text += ", " + places.at(step.curve) + ',';
    const EstimateText height =
        ratio_text(step.height, stats::Interval{.low = step.low, .high = step.high});
    text += " between " + between_text(step.low_bytes, step.high_bytes) + " (" + height.estimate +
            ' ' + height.interval + " times";
    if (!step.protocol.empty()) text += ", " + step.protocol;
    texts.push_back(text + ")");
  }
  return base::first_items(texts, kMostListed, "; ") + scope;
}

void add_steps(Answer& answer, const Study& study) {
  if (!design::has_adaptive_sizes(study.campaign())) return;
  Steps steps = find_steps(study);
  for (TidyTable& table : steps_tables(steps)) answer.tables.push_back(std::move(table));
  answer.remarks.push_back({.label = "steps", .text = steps_text(steps), .own_line = true});
  for (Warning& warning : steps.warnings) answer.warnings.push_back(std::move(warning));
}

}  // namespace invar::analysis
