#include "analysis/machine/canary_series.hpp"

#include <algorithm>
#include <cmath>

#include "stats/describe/histogram.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kFewestOfAColumn = 5;  // on average
constexpr std::size_t kMostBins = 60;

struct CanaryReading {
  double seconds = 0;
  double ns = 0;
};

constexpr double kInEqualBins = 0.995;

// Equally spaced on a log scale, because regimes are factors apart, and one bin beyond for the
// slowest, which interrupts make a thousand times as long: they must not set the width of all.
void add_histogram(const std::vector<CanaryReading>& readings, CanarySeries& series) {
  std::vector<double> logs;
  logs.reserve(readings.size());
  for (const CanaryReading& one : readings) logs.push_back(std::log(one.ns));
  std::ranges::sort(logs);
  const double end = stats::quantile_sorted(logs, kInEqualBins);
  const double range = end - logs.front();
  double width = stats::freedman_diaconis_width(logs);
  if (!(width > range / static_cast<double>(kMostBins))) {
    width = range / static_cast<double>(kMostBins);
  }
  const auto bins =
      range > 0 ? std::max(std::size_t{1}, static_cast<std::size_t>(std::ceil(range / width)))
                : std::size_t{1};
  // A constant canary gets a bin around it.
  const double first = range > 0 ? logs.front() : logs.front() - 0.005;
  const double step = range > 0 ? range / static_cast<double>(bins) : 0.01;
  for (std::size_t i = 0; i <= bins; ++i) {
    series.edges_ns.push_back(std::exp(first + static_cast<double>(i) * step));
  }
  const double last = first + static_cast<double>(bins) * step;
  const bool beyond = logs.back() > last;
  if (beyond) series.edges_ns.push_back(std::exp(logs.back()));
  series.counts.assign(series.edges_ns.size() - 1, 0);
  for (const double log : logs) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, std::floor((log - first) / step)));
    ++series.counts[beyond && log > last ? bins : std::min(bin, bins - 1)];
  }
}

}  // namespace

std::optional<CanarySeries> canary_series(const Summaries& summaries, const TimeAxis& axis,
                                          base::CanaryKind kind, std::size_t most_columns) {
  std::vector<CanaryReading> readings;
  for (const VisitSummary& visit : summaries.visits) {
    const std::optional<double> canary_ns = visit.canary(kind);
    if (!canary_ns || !(*canary_ns > 0)) continue;
    readings.push_back(
        {axis.seconds(visit.group, visit.launch, visit.source->line.begin_ps), *canary_ns});
  }
  if (readings.empty()) return std::nullopt;
  const std::size_t columns =
      std::clamp(readings.size() / kFewestOfAColumn, std::size_t{1}, most_columns);
  const double width = axis.end_s() > 0 ? axis.end_s() / static_cast<double>(columns) : 1.0;
  std::vector<std::vector<double>> values(columns);
  for (const CanaryReading& one : readings) {
    const auto column = static_cast<std::size_t>(std::max(0.0, std::floor(one.seconds / width)));
    values[std::min(column, columns - 1)].push_back(one.ns);
  }
  CanarySeries series{.kind = kind};
  for (std::size_t i = 0; i < columns; ++i) {
    if (values[i].empty()) continue;
    std::ranges::sort(values[i]);
    series.seconds.push_back((static_cast<double>(i) + 0.5) * width);
    series.median_ns.push_back(stats::quantile_sorted(values[i], 0.5));
    series.low_ns.push_back(stats::quantile_sorted(values[i], 0.05));
    series.high_ns.push_back(stats::quantile_sorted(values[i], 0.95));
  }
  add_histogram(readings, series);
  return series;
}

}  // namespace invar::analysis
