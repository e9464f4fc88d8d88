#include "analysis/steps/size_breaks.hpp"

#include <cmath>
#include <utility>

#include "analysis/network/network_data.hpp"
#include "analysis/network/network_points.hpp"
#include "stats/model/segmented.hpp"

namespace invar::analysis {
namespace {

// Any time that is one call's own.
constexpr SeriesKey kOneCurve{.kind = SeriesKind::kSend};

std::uint64_t whole_bytes(double size) { return static_cast<std::uint64_t>(std::llround(size)); }

// The curve alone, with the numbers of its groups in their order.
NetworkData data_of(const stats::SizeCurve& curve, double step_ns) {
  DataSeries series{.key = kOneCurve};
  for (const stats::SizeTimes& size : curve) {
    for (std::size_t group = 0; group < size.log_times.size(); ++group) {
      if (!size.log_times[group]) continue;
      const double time_ns = std::exp(*size.log_times[group]);
      series.observations.push_back({.size_bytes = whole_bytes(size.size),
                                     .group = static_cast<std::uint32_t>(group + 1),
                                     .median_ns = time_ns,
                                     .mean_ns = time_ns});
    }
  }
  NetworkData data{.step_ns = step_ns};
  data.series.push_back(std::move(series));
  return data;
}

}  // namespace

std::vector<SizeBreak> size_breaks(const stats::SizeCurve& curve, const BreakRules& rules) {
  const NetworkData data = data_of(curve, rules.step_ns);
  const std::vector<SeriesPoint> points =
      points_of(series_times(data, kOneCurve), all_groups(data), rules.min_effect, rules.step_ns);
  const std::vector<stats::WeightedPoint> fitted = fitted_points(points);
  const stats::PieceLimits limits;
  std::vector<SizeBreak> breaks;
  if (fitted.size() < 2 * limits.least_points) return breaks;
  const stats::SegmentedFit fit = stats::fit_segmented(fitted, limits);
  for (std::size_t piece = 0; piece + 1 < fit.pieces.size(); ++piece) {
    breaks.push_back({.last_bytes = whole_bytes(fitted[fit.pieces[piece].last].x),
                      .first_bytes = whole_bytes(fitted[fit.pieces[piece + 1].first].x)});
  }
  return breaks;
}

}  // namespace invar::analysis
