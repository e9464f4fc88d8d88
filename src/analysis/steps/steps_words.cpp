// Steps as tables and as words.
#include <algorithm>

#include "analysis/compare/compared_table.hpp"
#include "analysis/steps/steps.hpp"
#include "analysis/study/study.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "record/factors.hpp"

namespace invar::analysis {
namespace {

// One text for every curve, which tells it from all others.
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

// How well its place is known.
std::string known_text(const Step& step) {
  if (!step.closest) return "between measured sizes";
  return step.element_bytes == 1 ? "to a byte"
                                 : "to an element of " + base::size_text(step.element_bytes);
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
  if (!steps.not_judged.empty()) return "not judged: " + steps.not_judged;
  const bool wide = std::ranges::any_of(steps.curves, &Curve::too_wide);
  if (!wide) return nothing_found;
  const bool any = std::ranges::any_of(steps.curves, &Curve::judged);
  return (any ? nothing_found + "; others are not judged: " : "not judged: ") +
         too_wide_words(steps);
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
                              {.name = "protocol"},
                              {.name = "direction"},
                              {.name = "known"}},
                  .shown = {{.header = "arm", .column = "arm"},
                            {.header = "curve", .column = "place"},
                            {.header = "step", .column = "direction"},
                            {.header = "between", .column = "between"},
                            {.header = "known", .column = "known"},
                            {.header = "time above / below", .column = "height"},
                            {.header = "p", .column = "p_adjusted"},
                            {.header = "protocol", .column = "protocol"}}};
  for (const Step& step : steps.steps) {
    table.rows.push_back({steps.curves.at(step.curve).label, places.at(step.curve),
                          between_text(step.low_bytes, step.high_bytes), step.low_bytes,
                          step.high_bytes, step.height, step.low, step.high, step.p_adjusted,
                          step.protocol.empty() ? "not asked" : step.protocol,
                          step.is_down() ? "down" : "up", known_text(step)});
  }
  none(table, none_because(steps, "no curve was found to jump by more than its tolerance"));
  return table;
}

TidyTable table_of_bends(const Steps& steps, const std::vector<std::string>& places) {
  TidyTable table{
      .id = "bends",
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
                {.header = "ns a byte sent below", .column = "slope_below_ns", .digits = 3},
                {.header = "above", .column = "slope_above_ns", .digits = 3},
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

// The row speaks of this cell, as far as it says of which one it speaks; without a size it does
// not.
bool is_row_of(const TidyTable& table, const std::vector<Value>& row, const record::Cell& cell) {
  bool sized = false;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (const auto* of_row = std::get_if<record::Cell>(&row[i].content)) {
      record::Cell without_family = *of_row;
      without_family.family.clear();
      return table.columns[i].name == "cell" && without_family.same_levels(cell);
    }
    const record::Factor* factor = record::find_factor(table.columns[i].name);
    if (factor == nullptr) continue;
    const std::string level = factor->text(cell);
    const auto* text = std::get_if<std::string>(&row[i].content);
    const auto* number = std::get_if<std::int64_t>(&row[i].content);
    const bool same = text != nullptr     ? *text == level
                      : number != nullptr ? std::to_string(*number) == level
                                          : level.empty();
    if (!same) return false;
    sized = sized || table.columns[i].kind == Kind::kBytes;
  }
  return sized;
}

void keep_rows_at_steps(TidyTable& table, const Steps& steps) {
  constexpr int kAtAStep = 100;
  if (table.shown.empty()) return;
  table.weights.resize(table.rows.size());
  for (const Step& step : steps.steps) {
    record::Cell cell = steps.curves.at(step.curve).place;
    for (const std::uint64_t size_bytes : {step.low_bytes, step.high_bytes}) {
      cell.size_bytes = size_bytes;
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        // One between two steps says no more than another one.
        const bool kept = table.weights[row] >= kAtAStep;
        if (!kept && is_row_of(table, table.rows[row], cell)) table.weights[row] += kAtAStep;
      }
    }
  }
}

}  // namespace

std::vector<TidyTable> steps_tables(const Steps& steps) {
  const std::vector<std::string> places = place_texts(steps);
  return {table_of_steps(steps, places), table_of_bends(steps, places),
          table_of_curves(steps, places)};
}

std::string step_words(const Step& step) {
  std::string text = std::string(" (") + (step.is_down() ? "down to " : "") +
                     ratio_text(step.height, std::nullopt).estimate + " times";
  // What nobody asked, or nothing shows, is told in the table alone.
  if (!step.protocol.empty() && step.protocol != "unclear") text += ", " + step.protocol;
  return text + ")";
}

std::string steps_text(const Steps& steps) {
  if (!steps.steps.empty()) return {};
  if (steps.curves.empty()) return "no curve was measured";
  if (!steps.not_judged.empty()) return "not judged: " + steps.not_judged;
  const std::string scope = steps.regime.empty() ? std::string() : ": " + steps.regime;
  const bool any = std::ranges::any_of(steps.curves, &Curve::judged);
  const auto wide = std::ranges::count_if(steps.curves, &Curve::too_wide);
  if (any && wide > 0) {
    return "none found in some curves; " + std::to_string(wide) + " of " +
           count_text(steps.curves.size(), "curve") + " not judged: " + too_wide_words(steps) +
           scope;
  }
  if (any) return "none found" + scope;
  if (wide > 0) return "not judged: " + too_wide_words(steps) + scope;
  return "not judged: too few sizes, or too few launch groups with them" + scope;
}

std::string too_wide_words(const Steps& steps) {
  return (steps.mixed_regimes > 0
              ? "the machine was in " + count_text(steps.mixed_regimes, "regime") + ", and "
              : std::string()) +
         "times vary too much to show a step of " + percent_text(kSensibleStep);
}

void add_steps_remark(Answer& answer, const Steps& steps) {
  std::string text = steps_text(steps);
  if (text.empty()) return;
  answer.remarks.push_back({.label = "steps", .text = std::move(text), .own_line = true});
}

void keep_rows_at_steps(Answer& answer, const Steps& steps) {
  for (TidyTable& table : answer.tables) keep_rows_at_steps(table, steps);
}

void add_steps(Answer& answer, const Study& study) {
  if (!design::has_adaptive_sizes(study.campaign())) return;
  Steps steps = find_steps(study);
  keep_rows_at_steps(answer, steps);
  for (TidyTable& table : steps_tables(steps)) answer.tables.push_back(std::move(table));
  add_steps_remark(answer, steps);
  for (Warning& warning : steps.warnings) answer.warnings.push_back(std::move(warning));
}

}  // namespace invar::analysis
