#include "analysis/network/network_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/network/network_rows.hpp"
#include "analysis/words/numbers.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

TidyTable parameters_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("parameters", "Parameters");
  add_text_columns(table, {"model", "parameter"});
  add_bytes_columns(table, {"from_bytes", "to_bytes"});
  add_text_columns(table, {"state"});
  add_model_estimate(table, "value", Kind::kTime, "_ns");
  add_model_estimate(table, "value", Kind::kNumber, "_ns_per_byte");
  table.columns.push_back({.name = "by_subtraction_ns", .kind = Kind::kTime});
  table.columns.push_back({.name = "by_subtraction_ns_per_byte", .kind = Kind::kNumber});
  table.columns.push_back({.name = "at_most_ns", .kind = Kind::kTime});
  add_text_columns(table, {"value", "sizes", "why"});
  for (const ShownModel& shown : rows.models()) {
    const ByteRange all = measured_sizes(*shown.model);
    for (const Parameter& one : shown.model->joint.parameters) {
      std::vector<Value> values = rows.row_of(shown);
      values.insert(values.end(), {one.model, one.name, one.sizes.from_bytes, one.sizes.to_bytes,
                                   std::string(name_of(one.state))});
      append_model_estimate(values, one.per_byte ? std::nullopt : one.estimate);
      append_model_estimate(values, one.per_byte ? one.estimate : std::nullopt);
      values.push_back(one.per_byte ? Value() : Value(one.by_subtraction));
      values.push_back(one.per_byte ? Value(one.by_subtraction) : Value());
      values.push_back(one.at_most ? Value(one.at_most->value) : Value());
      values.push_back(text_unless_empty(parameter_text(one)));
      values.emplace_back(range_text(one.sizes, all));
      values.push_back(text_unless_empty(one.why));
      table.rows.push_back(std::move(values));
      // Ranges of a first arm would leave no room for what a second one is at all.
      if (rows.several_arms()) table.weights.push_back(one.model == "LogP" ? 1 : -1);
    }
  }
  if (!rows.begin_shown(table)) return table;
  for (const char* column : {"model", "parameter", "sizes"}) {
    table.shown.push_back({.header = column, .column = column});
  }
  table.shown.push_back({.header = "value", .column = "value", .absent = "not identified"});
  table.shown.push_back({.header = "why", .column = "why", .absent = ""});
  return table;
}

TidyTable thresholds_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("thresholds", "Thresholds: where the library sends in another way");
  add_text_columns(table, {"threshold"});
  add_bytes_columns(table, {"last_bytes", "first_bytes", "low_bytes", "high_bytes"});
  add_text_columns(table, {"what", "why"});
  for (const ShownModel& shown : rows.models()) {
    for (const auto& [name, what, threshold] :
         {std::tuple("detached", "smallest size whose MPI_Send waits for a late receiver",
                     &shown.model->detached),
          {"async", "smallest size whose late MPI_Recv contains the transfer",
           &shown.model->async}}) {
      std::vector<Value> values = rows.row_of(shown);
      values.emplace_back(name);
      values.emplace_back(threshold->last_bytes);
      values.emplace_back(threshold->first_bytes);
      append_bytes_interval(values, threshold->interval_bytes);
      values.emplace_back(what);
      values.push_back(text_unless_empty(threshold->why));
      table.rows.push_back(std::move(values));
    }
  }
  if (!rows.begin_shown(table)) return table;
  table.shown.push_back({.header = "threshold", .column = "threshold"});
  table.shown.push_back({.header = "above", .column = "last_bytes", .absent = "-"});
  table.shown.push_back({.header = "up to", .column = "first_bytes", .absent = "-"});
  table.shown.push_back({.header = "what", .column = "what"});
  table.shown.push_back({.header = "why", .column = "why", .absent = ""});
  return table;
}

TidyTable costs_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("costs", "Calls without messages");
  add_text_columns(table, {"call"});
  add_model_estimate(table, "time", Kind::kTime, "_ns");
  table.columns.push_back({.name = "groups", .kind = Kind::kCount});
  table.columns.push_back({.name = "subtracted", .kind = Kind::kYesNo});
  for (const ShownModel& shown : rows.models()) {
    const auto add = [&](const std::string& call, const ModelEstimate& time, Value groups,
                         bool subtracted) {
      std::vector<Value> values = rows.row_of(shown);
      values.emplace_back(call);
      append_model_estimate(values, time);
      values.push_back(std::move(groups));
      values.emplace_back(subtracted);
      table.rows.push_back(std::move(values));
    };
    for (const CallCost& cost : shown.model->costs) {
      add(cost.call, cost.time_ns, Value(cost.groups), false);
    }
    if (shown.model->reading_ns) {
      add("reading the clock", {.value = *shown.model->reading_ns}, Value(), true);
    }
  }
  if (!rows.begin_shown(table)) return table;
  table.shown.push_back({.header = "call", .column = "call"});
  table.shown.push_back({.header = "time", .column = "time_ns"});
  table.shown.push_back({.header = "taken off all times", .column = "subtracted"});
  return table;
}

TidyTable shared_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("shared", "What messages at once move together");
  add_bytes_columns(table, {"size_bytes"});
  table.columns.push_back({.name = "pairs", .kind = Kind::kCount});
  table.columns.push_back({.name = "flows", .kind = Kind::kCount});
  add_model_estimate(table, "bandwidth", Kind::kBandwidth, "_gb_s");
  table.columns.push_back({.name = "groups", .kind = Kind::kCount});
  for (const ShownModel& shown : rows.models()) {
    for (const SharedPoint& point : shown.model->shared.points) {
      std::vector<Value> values = rows.row_of(shown);
      values.insert(values.end(), {point.size_bytes, point.pairs, point.flows});
      append_model_estimate(values, point.gb_s);
      values.emplace_back(point.groups);
      table.rows.push_back(std::move(values));
    }
  }
  if (table.rows.empty()) table.missing = "no exchanges were measured";
  if (!rows.begin_shown(table)) return table;
  table.shown.push_back({.header = "size", .column = "size_bytes"});
  table.shown.push_back({.header = "pairs", .column = "pairs"});
  table.shown.push_back({.header = "messages that share", .column = "flows"});
  table.shown.push_back({.header = "GB/s", .column = "bandwidth_gb_s"});
  return table;
}

TidyTable held_out_table(const NetworkRows& rows) {
  TidyTable table = rows.begin("held_out", "Sizes that no fit saw: predicted against measured");
  add_text_columns(table, {"model", "series"});
  table.columns.push_back({.name = "sizes", .kind = Kind::kCount});
  table.columns.push_back({.name = "median_error", .kind = Kind::kShare});
  table.columns.push_back({.name = "p95_error", .kind = Kind::kShare});
  for (const ShownModel& shown : rows.models()) {
    for (const HeldOutError& one : shown.model->held_out.errors) {
      std::vector<Value> values = rows.row_of(shown);
      values.insert(values.end(), {one.model, std::string(info_of(one.key.kind).name), one.sizes,
                                   one.median, one.most});
      table.rows.push_back(std::move(values));
    }
  }
  if (table.rows.empty()) table.missing = "no size was held out";
  if (!rows.begin_shown(table)) return table;
  table.shown.push_back({.header = "model", .column = "model"});
  table.shown.push_back({.header = "series", .column = "series"});
  table.shown.push_back({.header = "sizes", .column = "sizes"});
  table.shown.push_back({.header = "error, median", .column = "median_error"});
  table.shown.push_back({.header = "95 %", .column = "p95_error"});
  return table;
}

TidyTable detectors_table(const NetworkRows& rows) {
  TidyTable table =
      rows.begin("detectors", "Changes of protocol by other tools' rules, same times");
  add_text_columns(table, {"detector", "of"});
  table.columns.push_back({.name = "sizes", .kind = Kind::kCount});
  table.columns.push_back({.name = "count", .kind = Kind::kCount});
  add_bytes_columns(table, {"low_bytes", "high_bytes"});
  add_text_columns(table, {"changes", "why"});
  constexpr std::size_t kMostChangesTold = 6;
  for (const ShownModel& shown : rows.models()) {
    for (const DetectorRun& run : shown.model->detectors) {
      std::vector<Value> values = rows.row_of(shown);
      List low;
      List high;
      std::vector<std::string> texts;
      for (const ByteRange& change : run.changes) {
        low.emplace_back(change.from_bytes);
        high.emplace_back(change.to_bytes);
        texts.push_back(base::size_text(change.from_bytes));
      }
      values.insert(values.end(), {run.detector, run.of, run.sizes});
      values.push_back(run.missing.empty() ? Value(run.changes.size()) : Value());
      values.emplace_back(std::move(low));
      values.emplace_back(std::move(high));
      values.push_back(text_unless_empty(base::first_items(texts, kMostChangesTold, ", ")));
      values.push_back(text_unless_empty(run.missing));
      table.rows.push_back(std::move(values));
    }
  }
  if (!rows.begin_shown(table)) return table;
  table.shown.push_back({.header = "detector", .column = "detector"});
  table.shown.push_back({.header = "of", .column = "of"});
  table.shown.push_back({.header = "sizes", .column = "sizes"});
  table.shown.push_back({.header = "changes", .column = "count", .absent = "-"});
  table.shown.push_back({.header = "behind", .column = "changes", .absent = ""});
  table.shown.push_back({.header = "why", .column = "why", .absent = ""});
  return table;
}

}  // namespace

ByteRange measured_sizes(const NetworkModel& model) {
  const ModelSeries* series = model.find(SeriesKind::kRoundTrip);
  if (series == nullptr || series->points.empty()) return {};
  return {.from_bytes = series->points.front().size_bytes,
          .to_bytes = series->points.back().size_bytes};
}

std::string range_text(const ByteRange& sizes, const ByteRange& all) {
  const bool from_start = sizes.from_bytes <= all.from_bytes;
  const bool to_end = sizes.to_bytes >= all.to_bytes;
  if (from_start && to_end) return "all";
  if (sizes.from_bytes == sizes.to_bytes) return base::size_text(sizes.from_bytes);
  if (from_start) return "up to " + base::size_text(sizes.to_bytes);
  if (to_end) return "from " + base::size_text(sizes.from_bytes) + " on";
  return base::size_text(sizes.from_bytes) + " to " + base::size_text(sizes.to_bytes);
}

std::string parameter_text(const Parameter& parameter) {
  if (!parameter.estimate) {
    if (!parameter.at_most) return {};
    return "at most " + time_text({.median_ns = parameter.at_most->value}).estimate;
  }
  // Its interval would be two zeros.
  if (parameter.state == ParameterState::kOnBound) {
    return parameter.per_byte ? "0 ns/B, on its bound" : "0, on its bound";
  }
  const ModelEstimate& estimate = *parameter.estimate;
  EstimateText text;
  if (parameter.per_byte) {
    text = ratio_text(estimate.value, estimate.interval);
    text.estimate += " ns/B";
  } else {
    text = time_text({.median_ns = estimate.value, .interval_ns = estimate.interval});
  }
  return text.estimate + (text.interval.empty() ? "" : " " + text.interval);
}

std::vector<TidyTable> network_tables(const Network& found) {
  const NetworkRows rows(found);
  return {parameters_table(rows), thresholds_table(rows), pieces_table(rows),    costs_table(rows),
          shared_table(rows),     held_out_table(rows),   detectors_table(rows), plogp_table(rows),
          stretches_table(rows),  points_table(rows)};
}

}  // namespace invar::analysis
