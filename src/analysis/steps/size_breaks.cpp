#include "analysis/steps/size_breaks.hpp"

#include <algorithm>
#include <cmath>

#include "stats/model/group_factors.hpp"
#include "stats/model/segmented.hpp"

namespace invar::analysis {
namespace {

// Points weigh something finite, also where every difference matters.
constexpr double kLeastEffect = 0.001;

std::uint64_t whole_bytes(double size) { return static_cast<std::uint64_t>(std::llround(size)); }

}  // namespace

std::vector<SizeBreak> size_breaks(const stats::SizeCurve& curve, const BreakRules& rules) {
  std::vector<stats::GroupTime> times;
  for (const stats::SizeTimes& size : curve) {
    for (std::size_t group = 0; group < size.log_times.size(); ++group) {
      const std::optional<double>& log_time = size.log_times[group];
      // Grouped times have sizes above 0.
      if (!log_time || !(size.size > 0)) continue;
      times.push_back({.group = group, .size = size.size, .mean = std::exp(*log_time)});
    }
  }
  std::vector<SizeBreak> breaks;
  if (times.empty()) return breaks;
  const std::vector<stats::WeightedPoint> points = stats::GroupedTimes(times).points(
      {.min_effect = std::max(rules.min_effect, kLeastEffect), .step = rules.step_ns});
  const stats::PieceLimits limits;
  if (points.size() < 2 * limits.least_points) return breaks;
  const stats::SegmentedFit fit = stats::fit_segmented(points, limits);
  for (std::size_t piece = 0; piece + 1 < fit.pieces.size(); ++piece) {
    breaks.push_back({.last_bytes = whole_bytes(points[fit.pieces[piece].last].x),
                      .first_bytes = whole_bytes(points[fit.pieces[piece + 1].first].x)});
  }
  return breaks;
}

}  // namespace invar::analysis
