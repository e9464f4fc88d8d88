#include "stats/model/segmented_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/check.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/normal.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

SegmentedFit fit_asked_for(std::span<const WeightedPoint> points,
                           const SegmentedQuestion& question) {
  if (question.breaks) return fit_with_breaks(points, *question.breaks, question.limits);
  return fit_segmented(points, question.limits);
}

// With as many pieces as there are in the fit to all groups.
SegmentedFit fit_again(std::span<const WeightedPoint> points, std::size_t pieces,
                       const SegmentedQuestion& question) {
  if (question.breaks) return fit_with_breaks(points, *question.breaks, question.limits);
  PieceLimits limits = question.limits;
  limits.most_pieces = pieces;
  return segmented_fits(points, limits).back();
}

std::optional<Interval> at_least(std::optional<Interval> interval, double least) {
  if (interval) {
    interval->low = std::max(interval->low, least);
    interval->high = std::max(interval->high, least);
  }
  return interval;
}

std::size_t groups_in_means(const GroupFactors& factors) {
  return static_cast<std::size_t>(std::ranges::count_if(
      factors.groups, [](const GroupFactor& group) { return group.log_factor.has_value(); }));
}

// Distances between sizes are ratios; size 0 has one, too.
double break_scale(double size) { return std::log1p(size); }
double size_on_scale(double value) { return std::expm1(value); }

}  // namespace

std::vector<double> resampled_group_weights(std::size_t groups, base::Random& random) {
  std::vector<double> weights(groups);
  for (double& weight : weights) {
    // In (0, 1]: the logarithm of 0 is none; and no weight is 0.
    constexpr double kLeast = 1e-6;
    weight = std::max(-std::log(1 - random.uniform()), kLeast);
  }
  return weights;
}

std::optional<Interval> resampled_interval(double estimate, std::span<const double> resampled,
                                           std::size_t groups, double confidence) {
  check::open_unit("resampled_interval", "confidence", confidence);
  check::finite("resampled_interval", {&estimate, 1});
  check::sample("resampled_interval", resampled);
  if (groups < 2) return std::nullopt;
  const double tail = (1 - confidence) / 2;
  const auto n = static_cast<double>(groups);
  const double wider =
      t_quantile(1 - tail, n - 1) / normal_quantile(1 - tail) * std::sqrt((n + 1) / (n - 1));
  // Between the (R + 1) tail-th of R resamples and its counterpart: few of them reach less far.
  const auto count = static_cast<double>(resampled.size());
  const double outside =
      resampled.size() > 1 ? std::max(((count + 1) * tail - 1) / (count - 1), 0.0) : 0.0;
  std::vector<double> scratch(resampled.begin(), resampled.end());
  const double low = quantile_in_place(scratch, outside);
  const double high = quantile_in_place(scratch, 1 - outside);
  return Interval{.low = estimate - wider * std::max(estimate - low, 0.0),
                  .high = estimate + wider * std::max(high - estimate, 0.0),
                  .confidence = confidence};
}

SegmentedEstimate segmented_estimate(const GroupedTimes& times, const SegmentedQuestion& question) {
  SegmentedEstimate estimate{.points = times.points(question.noise)};
  estimate.fit = fit_asked_for(estimate.points, question);
  const std::size_t pieces = estimate.fit.pieces.size();
  std::vector<std::vector<double>> intercepts(pieces);
  std::vector<std::vector<double>> slopes(pieces);
  std::vector<std::vector<double>> lasts(pieces);
  std::vector<std::vector<double>> firsts(pieces);
  base::Random random(question.seed);
  for (std::size_t i = 0; i < question.resamples; ++i) {
    const std::vector<double> weights =
        resampled_group_weights(times.factors().groups.size(), random);
    const std::vector<WeightedPoint> points = times.points(question.noise, weights);
    const SegmentedFit fit = fit_again(points, pieces, question);
    for (std::size_t p = 0; p < pieces; ++p) {
      intercepts[p].push_back(fit.pieces[p].intercept);
      slopes[p].push_back(fit.pieces[p].slope);
      lasts[p].push_back(break_scale(points[fit.pieces[p].last].x));
      firsts[p].push_back(break_scale(points[fit.pieces[p].first].x));
    }
  }
  const std::size_t groups = groups_in_means(times.factors());
  constexpr double kNoLeast = -std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < pieces; ++p) {
    const LinePiece& piece = estimate.fit.pieces[p];
    const PieceLimits& limits = question.limits;
    estimate.pieces.push_back(
        {.intercept = at_least(
             resampled_interval(piece.intercept, intercepts[p], groups, question.confidence),
             limits.intercept_at_least_0 ? 0 : kNoLeast),
         .slope = at_least(resampled_interval(piece.slope, slopes[p], groups, question.confidence),
                           limits.slope_at_least_0 ? 0 : kNoLeast)});
    if (p + 1 == pieces) continue;
    BreakPlace place{.before = estimate.points[piece.last].x,
                     .after = estimate.points[piece.last + 1].x};
    if (!question.breaks) {
      const auto below =
          resampled_interval(break_scale(place.before), lasts[p], groups, question.confidence);
      const auto above =
          resampled_interval(break_scale(place.after), firsts[p + 1], groups, question.confidence);
      if (below && above) {
        place.interval = Interval{
            .low = std::clamp(size_on_scale(below->low), estimate.points.front().x, place.before),
            .high = std::clamp(size_on_scale(above->high), place.after, estimate.points.back().x),
            .confidence = question.confidence};
      }
    }
    estimate.breaks.push_back(place);
  }
  return estimate;
}

}  // namespace invar::stats
