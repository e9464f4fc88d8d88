#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/memory/memory.hpp"

namespace invar::analysis {
namespace {

void add_kind(TidyTable& table, std::initializer_list<const char*> names, Kind kind) {
  for (const char* name : names) table.columns.push_back({.name = name, .kind = kind});
}

// NAME, NAME_low, NAME_high, with `unit` behind each.
void add_with_ends(TidyTable& table, const std::string& name, Kind kind, const std::string& unit) {
  const std::string low = name + "_low" + unit;
  const std::string high = name + "_high" + unit;
  table.columns.push_back({.name = name + unit, .kind = kind, .low = low, .high = high});
  table.columns.push_back({.name = low, .kind = kind});
  table.columns.push_back({.name = high, .kind = kind});
}

void append_value(std::vector<Value>& row, const stats::ResampledValue& value) {
  row.emplace_back(value.value);
  append_interval(row, value.interval);
}

Value rounded_bytes(double bytes) { return Value(static_cast<std::int64_t>(std::llround(bytes))); }

void append_ends(std::vector<Value>& row, const std::optional<stats::Interval>& interval) {
  row.push_back(interval ? rounded_bytes(interval->low) : Value());
  row.push_back(interval ? rounded_bytes(interval->high) : Value());
}

Value told_text(const std::string& text) { return text.empty() ? Value() : Value(text); }

TidyTable table_of_walks(const std::string& id, const std::string& title) {
  TidyTable table{.id = id, .title = title};
  add_kind(table, {"arm", "operation", "place"}, Kind::kText);
  return table;
}

std::vector<Value> walk_row(const MemoryModel& model, const WalkModel& walk) {
  return {model.arm, walk.operation, told_text(walk.place)};
}

// Columns that a terminal shows, unless nobody should quote them.
void show_columns(const Memory& found, TidyTable& table,
                  std::initializer_list<ShownColumn> columns) {
  if (table.rows.empty() || !found.no_verdict.empty()) return;
  if (found.models.size() > 1) table.shown.push_back({.column = "arm"});
  table.shown.insert(table.shown.end(), columns.begin(), columns.end());
}

// Behind the caches: whoever asks for it sees it, however long the others are.
TidyTable elsewhere_table(const Memory& found) {
  TidyTable table{.id = "elsewhere", .title = "Other regimes, and everything together"};
  add_kind(table, {"regime", "arm", "model"}, Kind::kText);
  if (!found.shows_regimes) {
    table.missing = "not asked for (--regimes)";
    return table;
  }
  for (const MemoryElsewhere& one : found.elsewhere) {
    table.rows.push_back({one.regime, one.model.arm, model_words(one.model, false)});
  }
  if (table.rows.empty()) {
    table.missing = "no other regime has launch groups enough for a model";
  }
  show_columns(found, table, {{.column = "regime"}, {.column = "model"}});
  return table;
}

template <typename Add>
void for_each_walk(const Memory& found, Add add) {
  for (const MemoryModel& model : found.models) {
    for (const WalkModel& walk : model.walks) add(model, walk);
  }
}

TidyTable hierarchy_table(const Memory& found) {
  TidyTable table{.id = "hierarchy", .title = "Caches: what they say, and how they behave"};
  add_kind(table, {"arm", "cache"}, Kind::kText);
  add_kind(table, {"told_bytes"}, Kind::kBytes);
  add_kind(table, {"ways", "line_bytes"}, Kind::kCount);
  add_kind(table, {"shared_cpus", "by"}, Kind::kText);
  add_with_ends(table, "behaves", Kind::kCapacity, "_bytes");
  add_kind(table, {"shape"}, Kind::kText);
  add_kind(table, {"contradicts"}, Kind::kYesNo);
  add_kind(table, {"why"}, Kind::kText);
  for (const MemoryModel& model : found.models) {
    for (const CacheBehaviour& one : model.caches) {
      const auto told = [](std::uint32_t number) { return number > 0 ? Value(number) : Value(); };
      std::vector<Value> row{model.arm,
                             one.name,
                             one.told.bytes,
                             told(one.told.ways),
                             told(one.told.line_bytes),
                             told_text(one.told.shared_cpus),
                             one.series};
      row.push_back(one.behaves_bytes ? rounded_bytes(*one.behaves_bytes) : Value());
      append_ends(row, one.interval_bytes);
      row.push_back(one.behaves_bytes ? Value(to_string(one.shape)) : Value());
      row.push_back(one.contradicts ? Value(*one.contradicts) : Value());
      row.push_back(told_text(one.why));
      table.rows.push_back(std::move(row));
    }
  }
  if (table.rows.empty()) table.missing = "the host does not tell of its caches";
  show_columns(found, table,
               {{.column = "cache"},
                {.header = "says", .column = "told_bytes"},
                {.header = "behaves as", .column = "behaves_bytes", .absent = "-"},
                {.header = "by", .column = "by"},
                {.header = "shape", .column = "shape", .absent = "-"},
                {.header = "contradicts", .column = "contradicts", .absent = "not judged"},
                {.column = "why", .absent = ""}});
  return table;
}

TidyTable walk_plateaus_table(const Memory& found) {
  TidyTable table = table_of_walks("plateaus", "Plateaus: half of the largest buffer of each");
  add_kind(table, {"level"}, Kind::kText);
  add_kind(table, {"from_bytes", "to_bytes", "middle_bytes"}, Kind::kCapacity);
  add_with_ends(table, "bandwidth", Kind::kBandwidth, "_gb_s");
  add_with_ends(table, "latency", Kind::kTime, "_ns");
  add_with_ends(table, "slope", Kind::kNumber, "_ns_per_byte");
  add_kind(table, {"bytes_per_cycle"}, Kind::kNumber);
  for_each_walk(found, [&](const MemoryModel& model, const WalkModel& walk) {
    for (const WalkPlateau& one : walk.plateaus) {
      std::vector<Value> row = walk_row(model, walk);
      row.push_back(told_text(one.name));
      row.push_back(rounded_bytes(one.plateau.from));
      row.push_back(rounded_bytes(one.plateau.to));
      row.push_back(rounded_bytes(one.plateau.middle));
      for (const bool latency : {false, true}) {
        if (latency == walk.info.chases) {
          append_value(row, latency ? one.load_ns : one.gb_s);
        } else {
          row.insert(row.end(), 3, Value());
        }
      }
      append_value(row, one.plateau.slope);
      row.emplace_back(one.bytes_per_cycle);
      table.rows.push_back(std::move(row));
    }
  });
  show_columns(found, table,
               {{.column = "operation"},
                {.column = "place", .absent = ""},
                {.column = "level", .absent = "-"},
                {.header = "from", .column = "from_bytes"},
                {.header = "to", .column = "to_bytes"},
                {.header = "GB/s", .column = "bandwidth_gb_s", .absent = ""},
                {.header = "latency", .column = "latency_ns", .absent = ""},
                {.header = "B/cycle", .column = "bytes_per_cycle", .absent = "", .digits = 3}});
  return table;
}

TidyTable walk_knees_table(const Memory& found) {
  TidyTable table = table_of_walks("knees", "Knees: 5 % above a plateau to 95 % of the next");
  add_kind(table, {"name", "cause", "shape"}, Kind::kText);
  add_kind(table, {"merged"}, Kind::kYesNo);
  add_with_ends(table, "capacity", Kind::kCapacity, "_bytes");
  add_with_ends(table, "begin", Kind::kCapacity, "_bytes");
  add_with_ends(table, "end", Kind::kCapacity, "_bytes");
  add_kind(table, {"reached"}, Kind::kYesNo);
  add_with_ends(table, "rise", Kind::kShare, "");
  add_kind(table, {"why"}, Kind::kText);
  for_each_walk(found, [&](const MemoryModel& model, const WalkModel& walk) {
    for (const WalkKnee& one : walk.knees) {
      std::vector<Value> row = walk_row(model, walk);
      row.push_back(told_text(one.name));
      row.emplace_back(to_string(one.cause));
      row.emplace_back(to_string(one.knee.shape));
      row.emplace_back(one.knee.merged);
      row.push_back(rounded_bytes(one.knee.capacity));
      append_ends(row, one.knee.capacity_interval);
      row.push_back(rounded_bytes(one.knee.begin));
      append_ends(row, one.knee.begin_interval);
      row.push_back(rounded_bytes(one.knee.end));
      append_ends(row, one.knee.end_interval);
      row.emplace_back(one.knee.reached);
      append_value(row, one.knee.rise);
      row.push_back(told_text(one.why));
      table.rows.push_back(std::move(row));
    }
  });
  if (table.rows.empty()) table.missing = "no walk leaves a plateau";
  show_columns(found, table,
               {{.column = "operation"},
                {.column = "place", .absent = ""},
                {.column = "name", .absent = "-"},
                {.header = "capacity", .column = "capacity_bytes"},
                {.header = "shape", .column = "shape"},
                {.header = "from", .column = "begin_bytes"},
                {.header = "to", .column = "end_bytes"},
                {.header = "rise", .column = "rise"},
                {.column = "why", .absent = ""}});
  return table;
}

TidyTable memory_limits_table(const Memory& found) {
  TidyTable table{.id = "limits", .title = "Limits"};
  add_kind(table, {"arm", "limit", "of"}, Kind::kText);
  add_kind(table, {"value"}, Kind::kNumber);
  add_kind(table, {"unit"}, Kind::kText);
  add_kind(table, {"reached"}, Kind::kShare);
  add_kind(table, {"how"}, Kind::kText);
  for (const MemoryModel& model : found.models) {
    for (const MemoryLimit& one : model.limits) {
      table.rows.push_back(
          {model.arm, one.name, one.of, one.value, one.unit, Value(one.reached), one.how});
    }
  }
  if (table.rows.empty()) table.missing = "what limits rest on was not measured";
  show_columns(found, table,
               {{.column = "limit"},
                {.column = "of"},
                {.column = "value", .digits = 3},
                {.column = "unit"},
                {.header = "reached", .column = "reached", .absent = ""},
                {.column = "how"}});
  return table;
}

TidyTable walk_effects_table(const Memory& found) {
  TidyTable table{.id = "effects", .title = "Levels of factors: times of a byte against the usual"};
  add_kind(table, {"arm", "operation", "beside", "factor", "level", "reference"}, Kind::kText);
  add_with_ends(table, "ratio", Kind::kRatio, "");
  add_kind(table, {"sizes", "groups"}, Kind::kCount);
  for (const MemoryModel& model : found.models) {
    for (const WalkEffect& one : model.effects) {
      std::vector<Value> row{model.arm,  one.operation, told_text(one.beside),
                             one.factor, one.level,     one.reference};
      append_value(row, one.ratio);
      row.emplace_back(one.sizes);
      row.emplace_back(one.groups);
      table.rows.push_back(std::move(row));
    }
  }
  if (table.rows.empty()) table.missing = "no two walks differ in one factor alone";
  show_columns(found, table,
               {{.column = "operation"},
                {.column = "beside", .absent = ""},
                {.column = "factor"},
                {.header = "level", .column = "level"},
                {.header = "against", .column = "reference"},
                {.header = "ratio", .column = "ratio"},
                {.header = "sizes", .column = "sizes"}});
  return table;
}

TidyTable walk_pitfalls_table(const Memory& found) {
  TidyTable table{.id = "pitfalls", .title = "Pitfalls: what a naive benchmark would conclude"};
  add_kind(table, {"arm", "pitfall", "of", "found", "seen", "naive"}, Kind::kText);
  for (const MemoryModel& model : found.models) {
    for (const WalkPitfall& one : model.pitfalls) {
      table.rows.push_back({model.arm, one.name, told_text(one.of), Value(to_string(one.found)),
                            one.seen, told_text(one.naive)});
    }
  }
  show_columns(found, table,
               {{.column = "pitfall"},
                {.column = "of", .absent = ""},
                {.header = "found", .column = "found"},
                {.header = "seen", .column = "seen"},
                {.header = "naive", .column = "naive", .absent = ""}});
  return table;
}

TidyTable walk_variance_table(const Memory& found) {
  TidyTable table =
      table_of_walks("variance", "Launches against visits: standard deviations of logarithms");
  table.columns.push_back({.name = "launch_sd",
                           .kind = Kind::kLogSd,
                           .low = "launch_sd_low",
                           .high = "launch_sd_high"});
  add_kind(table, {"launch_sd_low", "launch_sd_high", "visit_sd"}, Kind::kLogSd);
  add_kind(table, {"p"}, Kind::kP);
  add_kind(table, {"launches"}, Kind::kCount);
  add_kind(table, {"huge_share", "frames_again"}, Kind::kShare);
  for_each_walk(found, [&](const MemoryModel& model, const WalkModel& walk) {
    std::vector<Value> row = walk_row(model, walk);
    if (walk.variance) {
      row.emplace_back(walk.variance->launch_sd);
      append_interval(row, walk.variance->launch_interval);
      row.emplace_back(walk.variance->visit_sd);
      row.emplace_back(walk.variance->p);
      row.emplace_back(walk.variance->launches);
    } else {
      row.insert(row.end(), 6, Value());
    }
    row.emplace_back(walk.huge);
    row.emplace_back(walk.frames_again);
    table.rows.push_back(std::move(row));
  });
  show_columns(found, table,
               {{.column = "operation"},
                {.column = "place", .absent = ""},
                {.header = "launches", .column = "launch_sd", .absent = "-"},
                {.header = "visits", .column = "visit_sd", .absent = "-"},
                {.header = "huge pages", .column = "huge_share", .absent = "-"},
                {.header = "frames again", .column = "frames_again", .absent = "-"}});
  return table;
}

// What has too few sizes for levels, with all else as usual: a row for each of them.
TidyTable kernels_table(const Memory& found) {
  TidyTable table{.id = "kernels", .title = "Other kernels, and sizes without levels"};
  add_kind(table, {"arm", "operation"}, Kind::kText);
  add_kind(table, {"size_bytes"}, Kind::kBytes);
  add_kind(table, {"bandwidth_gb_s"}, Kind::kBandwidth);
  add_kind(table, {"latency_ns"}, Kind::kTime);
  for_each_walk(found, [&](const MemoryModel& model, const WalkModel& walk) {
    if (!walk.plateaus.empty() || !walk.place.empty()) return;
    for (const WalkPoint& one : walk.points) {
      table.rows.push_back({model.arm, walk.operation, one.size_bytes,
                            walk.info.chases ? Value() : Value(one.gb_s),
                            walk.info.chases ? Value(one.load_ns) : Value()});
    }
  });
  show_columns(found, table,
               {{.header = "kernel", .column = "operation"},
                {.header = "size", .column = "size_bytes"},
                {.header = "GB/s", .column = "bandwidth_gb_s", .absent = ""},
                {.header = "a load", .column = "latency_ns", .absent = ""}});
  return table;
}

// Chains have a latency, other walks a bandwidth: two tables of one form.
TidyTable walk_points_table(const Memory& found, bool chases) {
  TidyTable table = table_of_walks(chases ? "latency" : "bandwidth", "");
  add_kind(table, {"size_bytes"}, Kind::kBytes);
  add_kind(table, {chases ? "latency_ns" : "bandwidth_gb_s"},
           chases ? Kind::kTime : Kind::kBandwidth);
  add_kind(table, {"pass_ns", "fitted_ns"}, Kind::kTime);
  add_kind(table, {"bytes_per_cycle"}, Kind::kNumber);
  add_kind(table, {"group_sd"}, Kind::kShare);
  add_kind(table, {"groups", "visits", "modes"}, Kind::kCount);
  for_each_walk(found, [&](const MemoryModel& model, const WalkModel& walk) {
    if (walk.info.chases != chases) return;
    for (const WalkPoint& one : walk.points) {
      std::vector<Value> row = walk_row(model, walk);
      Value fitted;
      if (!walk.plateaus.empty()) {
        fitted = Value(walk.estimate.fit.predicted(static_cast<double>(one.size_bytes)));
      }
      row.insert(row.end(),
                 {one.size_bytes, chases ? one.load_ns : one.gb_s, one.pass_ns.value, fitted,
                  Value(one.bytes_per_cycle), one.group_sd, one.groups, one.visits, one.modes});
      table.rows.push_back(std::move(row));
    }
  });
  return table;
}

TidyTable walk_passes_table(const Memory& found) {
  TidyTable table = table_of_walks("passes", "");
  add_kind(table, {"size_bytes"}, Kind::kBytes);
  add_kind(table, {"start_ns", "pass_ns"}, Kind::kTime);
  add_kind(table, {"lack_of_fit"}, Kind::kShare);
  for_each_walk(found, [&](const MemoryModel& model, const WalkModel& walk) {
    for (const WalkPoint& one : walk.points) {
      std::vector<Value> row = walk_row(model, walk);
      row.insert(row.end(),
                 {one.size_bytes, Value(one.start_ns), one.pass_ns.value, Value(one.lack_of_fit)});
      table.rows.push_back(std::move(row));
    }
  });
  return table;
}

}  // namespace

std::vector<TidyTable> memory_tables(const Memory& found) {
  return {
      hierarchy_table(found),          elsewhere_table(found),         walk_plateaus_table(found),
      walk_pitfalls_table(found),      kernels_table(found),           walk_knees_table(found),
      memory_limits_table(found),      walk_effects_table(found),      walk_variance_table(found),
      walk_points_table(found, false), walk_points_table(found, true), walk_passes_table(found)};
}

}  // namespace invar::analysis
