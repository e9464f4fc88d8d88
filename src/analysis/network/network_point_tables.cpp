#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/compared_table.hpp"
#include "analysis/network/network_rows.hpp"
#include "analysis/words/words.hpp"
#include "stats/test/normal.hpp"

namespace invar::analysis {
namespace {

std::vector<Value> piece_row(const NetworkRows& rows, const ShownModel& shown,
                             const ModelSeries& series, std::size_t at) {
  const ModelPiece& piece = series.pieces[at];
  std::vector<Value> values = rows.row_of(shown);
  values.insert(values.end(), {std::string(info_of(series.key.kind).name), piece.sizes.from_bytes,
                               piece.sizes.to_bytes, piece.points});
  append_model_estimate(values, piece.intercept_ns);
  append_model_estimate(values, piece.slope_ns);
  std::vector<std::string> bounds;
  if (piece.intercept_on_bound) bounds.emplace_back("intercept");
  if (piece.slope_on_bound) bounds.emplace_back("slope");
  values.push_back(bounds.empty() ? Value() : Value(list_text(bounds)));
  values.emplace_back(piece.group_sd);
  values.emplace_back(piece.repetition_sd);
  if (at < series.breaks.size()) {
    const ModelBreak& place = series.breaks[at];
    values.emplace_back(place.first_bytes);
    append_bytes_interval(values, place.interval_bytes);
    values.emplace_back(place.jump_ns);
    values.emplace_back(place.written_bytes.has_value());
  } else {
    values.insert(values.end(), 5, Value());
  }
  return values;
}

// Interval of the mean over launch groups, on the log scale. What a group varies by rests on
// neighbouring sizes as well, so that the normal distribution's quantile holds. None: there is one
// group, or groups differ by so much that nothing is known.
std::optional<stats::Interval> mean_interval(const SeriesPoint& point, double alpha) {
  if (point.groups < 2) return std::nullopt;
  const double reach = stats::normal_quantile(1 - alpha / 2) * point.group_sd /
                       std::sqrt(static_cast<double>(point.groups));
  const double most_reach = std::log(100);
  if (!(reach <= most_reach)) return std::nullopt;
  return stats::Interval{point.mean_ns * std::exp(-reach), point.mean_ns * std::exp(reach),
                         1 - alpha};
}

// From 1 on; a size between two pieces is one of the second, as its prediction is.
Value piece_of(const ModelSeries& series, std::uint64_t size_bytes) {
  if (series.pieces.empty()) return {};
  const auto holds = std::ranges::find_if(
      series.pieces, [&](const ModelPiece& piece) { return size_bytes <= piece.sizes.to_bytes; });
  const auto place = std::min(holds - series.pieces.begin(), std::ssize(series.pieces) - 1);
  return Value(static_cast<std::size_t>(place) + 1);
}

std::vector<Value> point_row(const NetworkRows& rows, const ShownModel& shown,
                             const ModelSeries& series, const SeriesPoint& point) {
  std::vector<Value> values = rows.row_of(shown);
  const std::optional<double> fitted_ns = series.predicted_ns(point.size_bytes);
  values.insert(values.end(), {std::string(info_of(series.key.kind).name), series.key.messages,
                               series.key.delayed, point.size_bytes, point.mean_ns});
  append_interval(values, mean_interval(point, rows.alpha()));
  values.push_back(piece_of(series, point.size_bytes));
  values.emplace_back(fitted_ns);
  values.push_back(fitted_ns ? Value(point.mean_ns / *fitted_ns - 1) : Value());
  values.insert(values.end(),
                {std::sqrt(point.variance_ns2) / point.mean_ns, point.group_sd, point.repetition_sd,
                 point.groups, point.bounded, point.repetitions, point.held_out});
  return values;
}

}  // namespace

TidyTable pieces_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("pieces", "Pieces of straight lines: intercept + slope x size");
  add_text_columns(table, {"series"});
  add_bytes_columns(table, {"from_bytes", "to_bytes"});
  table.columns.push_back({.name = "sizes", .kind = Kind::kCount});
  add_model_estimate(table, "intercept", Kind::kTime, "_ns");
  add_model_estimate(table, "slope", Kind::kNumber, "_ns_per_byte");
  add_text_columns(table, {"on_bound"});
  table.columns.push_back({.name = "group_sd", .kind = Kind::kShare});
  table.columns.push_back({.name = "repetition_sd", .kind = Kind::kShare});
  // Where the piece ends, and what the next one begins with.
  add_bytes_columns(table, {"next_bytes", "break_low_bytes", "break_high_bytes"});
  table.columns.push_back({.name = "jump_ns", .kind = Kind::kTime});
  table.columns.push_back({.name = "written", .kind = Kind::kYesNo});
  for (const ShownModel& shown : rows.models()) {
    for (const ModelSeries& series : shown.model->series) {
      for (std::size_t i = 0; i < series.pieces.size(); ++i) {
        table.rows.push_back(piece_row(rows, shown, series, i));
      }
    }
  }
  if (!rows.begin_shown(table)) return table;
  table.shown.push_back({.header = "series", .column = "series"});
  table.shown.push_back({.header = "from", .column = "from_bytes"});
  table.shown.push_back({.header = "to", .column = "to_bytes"});
  table.shown.push_back({.header = "sizes", .column = "sizes"});
  table.shown.push_back({.header = "intercept", .column = "intercept_ns"});
  table.shown.push_back({.header = "ns/B", .column = "slope_ns_per_byte", .digits = 3});
  table.shown.push_back({.header = "on its bound", .column = "on_bound", .absent = ""});
  table.shown.push_back({.header = "spread", .column = "repetition_sd"});
  return table;
}

TidyTable plogp_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("plogp", "");
  add_bytes_columns(table, {"size_bytes"});
  add_model_estimate(table, "o_s", Kind::kTime, "_ns");
  add_model_estimate(table, "o_r", Kind::kTime, "_ns");
  add_model_estimate(table, "g", Kind::kTime, "_ns");
  for (const ShownModel& shown : rows.models()) {
    for (const PLogPRow& one : shown.model->joint.plogp) {
      std::vector<Value> values = rows.row_of(shown);
      values.emplace_back(one.size_bytes);
      append_model_estimate(values, one.send_ns);
      append_model_estimate(values, one.receive_ns);
      append_model_estimate(values, one.gap_ns);
      table.rows.push_back(std::move(values));
    }
  }
  return table;
}

TidyTable stretches_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("stretches", "");
  table.columns.push_back({.name = "group", .kind = Kind::kCount});
  table.columns.push_back({.name = "begin_s", .kind = Kind::kSeconds});
  table.columns.push_back({.name = "end_s", .kind = Kind::kSeconds});
  table.columns.push_back({.name = "slowdown", .kind = Kind::kShare});
  table.columns.push_back({.name = "visits", .kind = Kind::kCount});
  for (const ShownModel& shown : rows.models()) {
    for (const SlowStretch& one : shown.model->stretches) {
      std::vector<Value> values = rows.row_of(shown);
      values.insert(values.end(), {one.group, one.begin_s, one.end_s, one.slowdown, one.visits});
      table.rows.push_back(std::move(values));
    }
  }
  return table;
}

TidyTable points_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("points", "");
  add_text_columns(table, {"series"});
  table.columns.push_back({.name = "messages", .kind = Kind::kCount});
  table.columns.push_back({.name = "delayed", .kind = Kind::kYesNo});
  add_bytes_columns(table, {"size_bytes"});
  add_model_estimate(table, "time", Kind::kTime, "_ns");
  table.columns.push_back({.name = "piece", .kind = Kind::kCount});
  table.columns.push_back({.name = "fitted_ns", .kind = Kind::kTime});
  table.columns.push_back({.name = "residual", .kind = Kind::kShare});
  table.columns.push_back({.name = "fit_sd", .kind = Kind::kShare});
  table.columns.push_back({.name = "group_sd", .kind = Kind::kShare});
  table.columns.push_back({.name = "repetition_sd", .kind = Kind::kShare});
  table.columns.push_back({.name = "groups", .kind = Kind::kCount});
  table.columns.push_back({.name = "bounded", .kind = Kind::kCount});
  table.columns.push_back({.name = "repetitions", .kind = Kind::kCount});
  table.columns.push_back({.name = "held_out", .kind = Kind::kYesNo});
  for (const ShownModel& shown : rows.models()) {
    for (const ModelSeries& series : shown.model->series) {
      for (const SeriesPoint& point : series.points) {
        table.rows.push_back(point_row(rows, shown, series, point));
      }
    }
  }
  return table;
}

}  // namespace invar::analysis
