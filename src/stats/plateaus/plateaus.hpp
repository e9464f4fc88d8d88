#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stats/model/group_factors.hpp"
#include "stats/plateaus/hierarchy_fit.hpp"
#include "stats/types.hpp"

// Plateaus of pass time over buffer size and the knees between them, with what resampled launch
// groups say of both (docs/methods.md, "Plateaus").
namespace invar::stats {

/// A level that rises by less is none: 5 % above the one and 95 % of the other plateau would be the
/// wrong way round.
inline constexpr double kLeastRise = 0.11;
/// What of a plateau counts as having left the one, and as having reached the other.
inline constexpr double kKneeMargin = 0.05;

struct PlateauQuestion {
  HierarchyLimits limits = {};
  PointNoise noise = {};
  double least_rise = kLeastRise;  ///< relative, >= kLeastRise
  double confidence = 0.95;
  std::size_t resamples = 399;
  std::uint64_t seed = 1;
};

/// A number with what resampling says of it.
struct ResampledValue {
  double value = 0.0;
  std::optional<Interval> interval = std::nullopt;  ///< none: fewer than two groups
};

/// Sizes of which the time for a unit of size is that of one level.
struct Plateau {
  double from = 0.0;  ///< sizes, both within the data
  double to = 0.0;
  ResampledValue slope = {};  ///< time that a further unit of size takes
  /// Where a buffer that is said to be in this level usually is: half of where it ends, or the
  /// largest size, on the last one.
  double middle = 0.0;
  ResampledValue at_middle = {};  ///< the pass time there over that size
};

/// Between two plateaus.
struct Knee {
  KneeShape shape = KneeShape::kJump;
  bool merged = false;  ///< of several levels that lie too near for a plateau between them
  double capacity = 0.0;
  /// Holds the sizes on both sides of the capacity.
  std::optional<Interval> capacity_interval = std::nullopt;
  /// 5 % above the plateau before, and 95 % of the one behind. A jump has the sizes on both sides.
  double begin = 0.0;
  double end = 0.0;
  std::optional<Interval> begin_interval = std::nullopt;
  std::optional<Interval> end_interval = std::nullopt;
  /// False: the plateau behind is not reached before the next knee begins, or the data end. Its
  /// level is what the shape says.
  bool reached = true;
  ResampledValue rise = {};  ///< slope behind / slope before - 1

  /// From where it begins at the earliest to where it ends at the latest.
  [[nodiscard]] Interval region() const;
};

struct PlateausEstimate {
  std::vector<WeightedPoint> points = {};
  HierarchyFit fit = {};
  std::vector<Plateau> plateaus = {};  ///< one more than knees
  std::vector<Knee> knees = {};        ///< ascending
  std::size_t groups = 0;              ///< that are related to others by their sizes
};

/// Throws as HierarchySearch and GroupedTimes do; std::invalid_argument for a least rise below
/// kLeastRise or a confidence outside (0, 1).
PlateausEstimate plateaus_estimate(const GroupedTimes& times, const PlateauQuestion& question);

}  // namespace invar::stats
