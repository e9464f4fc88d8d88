#include "analysis/clocks/clock_drift.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/line.hpp"
#include "stats/model/trend.hpp"

namespace invar::analysis {
namespace {

constexpr double kPpmPerNsPerS = 1e-3;
constexpr std::size_t kLeastInWindow = 3;

struct Series {
  std::vector<double> seconds, offset_ns, half_width_ns, truth_ns;
};

// Lines through whole windows; the rest at the end is left out, but a short measurement has one.
std::vector<double> window_slopes(const Series& series) {
  std::vector<double> slopes;
  std::size_t begin = 0;
  while (begin < series.seconds.size()) {
    const double end_s = series.seconds[begin] + kDriftWindowS;
    // A point at the border belongs to both.
    std::size_t end = begin;
    while (end < series.seconds.size() && series.seconds[end] <= end_s + 1e-3) ++end;
    const std::size_t count = end - begin;
    const bool whole = series.seconds[end - 1] >= end_s - kDriftWindowS / 10;
    if (count >= kLeastInWindow && (whole || slopes.empty())) {
      slopes.push_back(kPpmPerNsPerS * stats::fit_line({series.seconds.data() + begin, count},
                                                       {series.offset_ns.data() + begin, count})
                                           .slope);
    }
    if (end == series.seconds.size()) break;
    begin = std::max(end - 1, begin + 1);
  }
  return slopes;
}

}  // namespace

std::vector<DriftPoint> read_drift(const ClockCsv& table) {
  std::vector<DriftPoint> points;
  for (std::size_t i = 0; i < table.size(); ++i) {
    points.push_back({.seconds = table.number(i, 0),
                      .rank = table.count(i, 1),
                      .offset_ns = table.number(i, 2),
                      .half_width_ns = table.number(i, 3),
                      .truth_ns = table.optional_number(i, 4),
                      .launch = table.launch(i)});
  }
  return points;
}

std::vector<DriftRow> drift_rows(const std::vector<DriftPoint>& points) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Series> of_clock;
  for (const DriftPoint& point : points) {
    Series& series = of_clock[{point.launch, point.rank}];
    series.seconds.push_back(point.seconds);
    series.offset_ns.push_back(point.offset_ns);
    series.half_width_ns.push_back(point.half_width_ns);
    if (point.truth_ns) series.truth_ns.push_back(*point.truth_ns);
  }
  std::vector<DriftRow> rows;
  for (const auto& [clock, series] : of_clock) {
    if (series.seconds.size() < 2) continue;
    const stats::LineFit fit = stats::fit_line(series.seconds, series.offset_ns);
    DriftRow row{.launch = clock.first,
                 .rank = clock.second,
                 .points = series.seconds.size(),
                 .first_offset_ns = series.offset_ns.front(),
                 .half_width_ns = stats::median(series.half_width_ns),
                 .drift_ppm = kPpmPerNsPerS * fit.slope,
                 .window_ppm = window_slopes(series),
                 .largest_residual_ns = fit.largest_residual,
                 .r_squared = fit.r_squared};
    // What a path's asymmetry does wanders: neighbouring points err alike.
    const stats::TrendFit trend = stats::fit_trend(series.seconds, series.offset_ns, {});
    if (const auto interval = trend.interval(0.95)) {
      row.interval_ppm = {kPpmPerNsPerS * interval->low, kPpmPerNsPerS * interval->high, 0.95};
    }
    if (series.truth_ns.size() == series.seconds.size()) {
      row.true_ppm = kPpmPerNsPerS * stats::fit_line(series.seconds, series.truth_ns).slope;
      double worst = 0;
      for (std::size_t i = 0; i < series.truth_ns.size(); ++i) {
        worst = std::max(worst, std::abs(series.offset_ns[i] - series.truth_ns[i]));
      }
      row.largest_error_ns = worst;
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<PooledDrift> pooled_drifts(const std::vector<DriftRow>& rows) {
  std::map<std::uint32_t, OfLaunches> drifts;
  std::map<std::uint32_t, std::vector<double>> truths;
  std::set<std::uint32_t> launches;
  for (const DriftRow& row : rows) {
    launches.insert(row.launch);
    drifts[row.rank][row.launch].push_back(row.drift_ppm);
    if (row.true_ppm) truths[row.rank].push_back(*row.true_ppm);
  }
  std::vector<PooledDrift> pooled;
  if (launches.size() < 2) return pooled;
  for (const auto& [rank, of_launches] : drifts) {
    const std::vector<double>& truth = truths[rank];
    PooledDrift one{.rank = rank, .drift_ppm = *pooled_mean(of_launches)};
    if (truth.size() == of_launches.size()) one.true_ppm = stats::mean(truth);
    pooled.push_back(one);
  }
  return pooled;
}

}  // namespace invar::analysis
