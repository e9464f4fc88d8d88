#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "stats/model/group_factors.hpp"
#include "stats/model/segmented.hpp"
#include "stats/types.hpp"

// How sure slopes, intercepts and breaks of piecewise lines are: from refitting over resampled
// launch groups (docs/methods.md, "Piecewise lines").
namespace invar::stats {

/// How often each of the launch groups counts in one resample: exponential with mean 1 (the
/// Bayesian bootstrap; Rubin, Ann. Stat. 9, 1981). No group is ever left out, so that sizes, their
/// weights and the groups' connection are those of the data even with five groups.
std::vector<double> resampled_group_weights(std::size_t groups, base::Random& random);

/// The interval of anything that was estimated from the groups and again from each resample: from
/// quantile to quantile, both moved away from the estimate by
///
///     t(groups - 1) / z   sqrt((groups + 1) / (groups - 1)),
///
/// because so few groups show too little of how they vary: of a mean over groups this is Student's
/// interval. The estimate is always inside. Empty for fewer than 2 groups. Throws
/// std::invalid_argument without resamples, on NaN and infinity, for a confidence outside (0, 1).
std::optional<Interval> resampled_interval(double estimate, std::span<const double> resampled,
                                           std::size_t groups, double confidence);

struct SegmentedQuestion {
  PieceLimits limits = {};
  PointNoise noise = {};
  double confidence = 0.95;
  std::size_t resamples = 399;
  std::uint64_t seed = 1;
  /// The analyst's breaks; then there are these and no others, and none of them has an interval.
  std::optional<std::vector<double>> breaks = std::nullopt;
};

struct PieceIntervals {
  std::optional<Interval> intercept = std::nullopt;  ///< not below 0 where the limits say so
  std::optional<Interval> slope = std::nullopt;
};

/// A break lies at or after `before`, the last size of a piece, and before `after`, the first of
/// the next.
struct BreakPlace {
  double before = 0.0;
  double after = 0.0;
  std::optional<Interval> interval = std::nullopt;  ///< holds both
};

struct SegmentedEstimate {
  std::vector<WeightedPoint> points = {};
  SegmentedFit fit = {};
  std::vector<PieceIntervals> pieces = {};
  std::vector<BreakPlace> breaks = {};  ///< between pieces: one fewer
};

/// The fit to all groups, and intervals. Every resample has its own factors, means and breaks, but
/// as many pieces as the fit has, which are matched by their order: intervals say how sure a slope
/// or a place is if the number of pieces is right, and nothing about whether it is. Groups apart
/// from the others are in nothing. Throws as fit_segmented, fit_with_breaks and GroupedTimes.
SegmentedEstimate segmented_estimate(const GroupedTimes& times, const SegmentedQuestion& question);

}  // namespace invar::stats
