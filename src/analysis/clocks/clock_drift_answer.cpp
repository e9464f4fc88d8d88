// drift: how clocks run apart, as an answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/clocks/clock_answers.hpp"
#include "analysis/clocks/clock_drift.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

std::string signed_time(double ns) {
  return (ns < 0 ? "-" : "+") + base::duration_text(ns < 0 ? -ns : ns);
}

std::string windows_text(const std::vector<double>& windows) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, windows.size()); ++i) {
    text += fmt::format("{}{:+.4f}", i == 0 ? "" : ", ", windows[i]);
  }
  return text + (windows.size() > kShown ? ", ..." : "");
}

std::string interval_text(const std::optional<stats::Interval>& interval) {
  return interval ? fmt::format("[{:+.4f}, {:+.4f}]", interval->low, interval->high) : "";
}

std::uint32_t ranks_of(const ClockInput& input) {
  return input.head.ranks.empty() ? 0 : input.head.ranks.front();
}

TidyTable points_table(const ClockInput& input, const std::vector<DriftPoint>& points) {
  TidyTable table{.id = "points",
                  .columns = {{.name = "library"},
                              {.name = "ranks", .kind = Kind::kCount},
                              {.name = "virtual_skew", .kind = Kind::kNumber},
                              {.name = "rank", .kind = Kind::kCount},
                              {.name = "seconds", .kind = Kind::kSeconds},
                              {.name = "offset_ns", .kind = Kind::kTime},
                              {.name = "half_width_ns", .kind = Kind::kTime},
                              {.name = "truth_ns", .kind = Kind::kTime},
                              {.name = "launch", .kind = Kind::kCount}}};
  for (const DriftPoint& point : points) {
    table.rows.push_back({clock_link(input), ranks_of(input), virtual_skew_of(input), point.rank,
                          point.seconds, point.offset_ns, point.half_width_ns, point.truth_ns,
                          point.launch});
  }
  return table;
}

TidyTable lines_table(const std::vector<DriftRow>& rows) {
  TidyTable table{.id = "lines",
                  .columns = {{.name = "rank", .kind = Kind::kCount},
                              {.name = "points", .kind = Kind::kCount},
                              {.name = "first_offset_ns", .kind = Kind::kTime},
                              {.name = "half_width_ns", .kind = Kind::kTime},
                              {.name = "drift_ppm",
                               .kind = Kind::kNumber,
                               .low = "drift_low_ppm",
                               .high = "drift_high_ppm"},
                              {.name = "drift_low_ppm", .kind = Kind::kNumber},
                              {.name = "drift_high_ppm", .kind = Kind::kNumber},
                              {.name = "largest_residual_ns", .kind = Kind::kTime},
                              {.name = "r_squared", .kind = Kind::kNumber},
                              {.name = "true_ppm", .kind = Kind::kNumber},
                              {.name = "largest_error_ns", .kind = Kind::kTime},
                              {.name = "launch", .kind = Kind::kCount}}};
  for (const DriftRow& row : rows) {
    const auto end = [&](double stats::Interval::*which) {
      return row.interval_ppm ? Value((*row.interval_ppm).*which) : Value();
    };
    table.rows.push_back({row.rank, row.points, row.first_offset_ns, row.half_width_ns,
                          row.drift_ppm, end(&stats::Interval::low), end(&stats::Interval::high),
                          row.largest_residual_ns, row.r_squared, row.true_ppm,
                          row.largest_error_ns, row.launch});
  }
  return table;
}

TidyTable pooled_table(const std::vector<PooledDrift>& pooled) {
  TidyTable table{.id = "over_launches",
                  .columns = {{.name = "rank", .kind = Kind::kCount},
                              {.name = "launches", .kind = Kind::kCount},
                              {.name = "drift_ppm",
                               .kind = Kind::kNumber,
                               .low = "drift_low_ppm",
                               .high = "drift_high_ppm"},
                              {.name = "drift_low_ppm", .kind = Kind::kNumber},
                              {.name = "drift_high_ppm", .kind = Kind::kNumber},
                              {.name = "true_ppm", .kind = Kind::kNumber}}};
  for (const PooledDrift& one : pooled) {
    const auto& interval = one.drift_ppm.interval;
    table.rows.push_back({one.rank, one.drift_ppm.launches, one.drift_ppm.mean,
                          interval ? Value(interval->low) : Value(),
                          interval ? Value(interval->high) : Value(), one.true_ppm});
  }
  return table;
}

TidyTable shown_lines(const std::vector<DriftRow>& rows, bool truth, bool launches) {
  std::vector<TextColumn> columns{{.header = launches ? "launch, rank" : "rank"},
                                  {.header = "first offset"},
                                  {.header = "drift, ppm"},
                                  {.header = "[95 %]", .left = true, .glued = true},
                                  {.header = "over 10 s each, ppm", .left = true},
                                  {.header = "residual"},
                                  {.header = "R^2"}};
  if (truth) {
    columns.push_back({.header = "true, ppm"});
    columns.push_back({.header = "worst error"});
  }
  std::vector<std::vector<std::string>> texts;
  for (const DriftRow& row : rows) {
    texts.push_back({(launches ? std::to_string(row.launch) + ", " : "") + std::to_string(row.rank),
                     signed_time(row.first_offset_ns), fmt::format("{:+.4f}", row.drift_ppm),
                     interval_text(row.interval_ppm), windows_text(row.window_ppm),
                     base::duration_text(row.largest_residual_ns),
                     row.r_squared ? fmt::format("{:.6f}", *row.r_squared) : "-"});
    if (!truth) continue;
    texts.back().push_back(row.true_ppm ? fmt::format("{:+.4f}", *row.true_ppm) : "");
    texts.back().push_back(row.largest_error_ns ? base::duration_text(*row.largest_error_ns) : "");
  }
  return terminal_table(columns, texts);
}

std::string truth_of_clocks(const ClockInput& input) {
  const double skew = virtual_skew_of(input);
  return skew != 0 ? fmt::format("virtual clocks, {:+g} ppm on one real clock: the truth is known",
                                 1e6 * skew)
                   : "one real clock for all ranks: what drift there is would be the measurement's";
}

std::string drift_text(std::uint32_t rank, bool others, double ppm,
                       const std::optional<stats::Interval>& interval) {
  const std::string ends = interval_text(interval);
  return fmt::format("The clock of rank {} drifts {}by {:+.4f} ppm{} against rank 0's", rank,
                     others ? "most, " : "", ppm, ends.empty() ? "" : " " + ends);
}

std::string one_launch_sentence(const std::vector<DriftRow>& rows, const std::string& scope) {
  const auto most = std::ranges::max_element(
      rows, {}, [](const DriftRow& row) { return std::abs(row.drift_ppm); });
  return drift_text(most->rank, rows.size() > 1, most->drift_ppm, most->interval_ppm) + ": " +
         scope + ".";
}

std::string pooled_sentence(const std::vector<PooledDrift>& pooled, const std::string& scope) {
  const auto most = std::ranges::max_element(
      pooled, {}, [](const PooledDrift& one) { return std::abs(one.drift_ppm.mean); });
  return drift_text(most->rank, pooled.size() > 1, most->drift_ppm.mean, most->drift_ppm.interval) +
         fmt::format(", mean over {} launches: {}.", most->drift_ppm.launches, scope);
}

}  // namespace

Answer drift_answer(const ClockInput& input) {
  const std::vector<DriftPoint> points = read_drift(input.rows);
  const std::vector<DriftRow> rows = drift_rows(points);
  const std::string scope = clock_scope(input);
  Answer answer{.sentence = "No drift is known, for two points make a line: " + scope + ".",
                .scope = scope,
                .tables = {points_table(input, points), lines_table(rows)}};
  if (rows.empty()) return answer;
  const bool truth = rows.front().true_ppm.has_value();
  const std::vector<PooledDrift> pooled = pooled_drifts(rows);
  answer.sentence =
      pooled.empty() ? one_launch_sentence(rows, scope) : pooled_sentence(pooled, scope);
  if (!pooled.empty()) answer.tables.push_back(pooled_table(pooled));
  answer.head =
      fmt::format("{} each, offsets known to +-{}", count_text(rows.front().points, "point"),
                  base::duration_text(rows.front().half_width_ns));
  answer.tables.push_back(shown_lines(rows, truth, !pooled.empty()));
  if (truth) answer.notes.push_back(truth_of_clocks(input));
  answer.notes.emplace_back("residual: the largest distance of a point from the line");
  return answer;
}

}  // namespace invar::analysis
