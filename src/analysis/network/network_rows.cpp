#include "analysis/network/network_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "analysis/compare/compared_table.hpp"

namespace invar::analysis {
namespace {

std::vector<ShownModel> shown_models(const Network& found) {
  std::vector<ShownModel> shown;
  for (const NetworkModel& model : found.models) shown.push_back({.model = &model});
  if (!found.shows_regimes) return shown;
  for (const RegimeModel& other : found.elsewhere) {
    shown.push_back({.model = &other.model, .regime = other.regime});
  }
  return shown;
}

}  // namespace

NetworkRows::NetworkRows(const Network& found) : found_(found), models_(shown_models(found)) {
  places_ =
      std::ranges::any_of(models_, [](const ShownModel& one) { return !one.model->place.empty(); });
  arms_ = std::ranges::any_of(
      models_, [&](const ShownModel& one) { return one.model->arm != models_.front().model->arm; });
}

TidyTable NetworkRows::begin(const std::string& id, const std::string& title) const {
  TidyTable table{.id = id, .title = title, .columns = {{.name = "arm"}, {.name = "place"}}};
  if (found_.shows_regimes) table.columns.push_back({.name = "regime"});
  return table;
}

std::vector<Value> NetworkRows::row_of(const ShownModel& shown) const {
  std::vector<Value> values{shown.model->arm, text_unless_empty(shown.model->place)};
  if (found_.shows_regimes) values.push_back(text_unless_empty(shown.regime));
  return values;
}

bool NetworkRows::begin_shown(TidyTable& table) const {
  if (table.rows.empty() || !found_.no_verdict.empty()) return false;
  if (arms_) table.shown.push_back({.header = "arm", .column = "arm"});
  if (places_) table.shown.push_back({.header = "place", .column = "place", .absent = "-"});
  if (found_.shows_regimes) {
    table.shown.push_back({.header = "regime", .column = "regime", .absent = "-"});
  }
  return true;
}

void add_text_columns(TidyTable& table, std::initializer_list<const char*> names) {
  for (const char* name : names) table.columns.push_back({.name = name});
}

void add_bytes_columns(TidyTable& table, std::initializer_list<const char*> names) {
  for (const char* name : names) table.columns.push_back({.name = name, .kind = Kind::kBytes});
}

void add_model_estimate(TidyTable& table, const std::string& name, Kind kind,
                        const std::string& unit) {
  const std::string low = name + "_low" + unit;
  const std::string high = name + "_high" + unit;
  table.columns.push_back({.name = name + unit, .kind = kind, .low = low, .high = high});
  table.columns.push_back({.name = low, .kind = kind});
  table.columns.push_back({.name = high, .kind = kind});
}

void append_model_estimate(std::vector<Value>& values,
                           const std::optional<ModelEstimate>& estimate) {
  values.push_back(estimate ? Value(estimate->value) : Value());
  append_interval(values, estimate ? estimate->interval : std::nullopt);
}

void append_bytes_interval(std::vector<Value>& values,
                           const std::optional<stats::Interval>& interval) {
  const auto whole = [](double size) {
    return Value(static_cast<std::int64_t>(std::llround(size)));
  };
  values.push_back(interval ? whole(interval->low) : Value());
  values.push_back(interval ? whole(interval->high) : Value());
}

Value text_unless_empty(const std::string& text) { return text.empty() ? Value() : Value(text); }

}  // namespace invar::analysis
