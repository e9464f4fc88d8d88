#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/model/refinement.hpp"
#include "stats/model/size_curve.hpp"
#include "stats/types.hpp"

// Whether a curve jumps between two sizes, or bends at one, judged by groups that had no
// part in the choice of these sizes (docs/methods.md, "Adaptive sizes and steps").
namespace invar::stats {

/// Between two sizes.
struct StepEstimate {
  std::size_t curve = 0;  ///< as its bracket has it
  double low = 0.0;
  double high = 0.0;
  /// What a group says: logarithm of the time above over the time below, beyond what the curve
  /// grows by itself; mean of what the lines from below and from above say. Of groups that have all
  /// sizes that this takes.
  std::vector<double> heights = {};
  double log_height = 0.0;                ///< their mean
  std::optional<Interval> interval = {};  ///< of log_height; agrees with is_step
  std::optional<double> p = {};           ///< none: fewer than two groups, or no neighbours
  std::optional<double> p_adjusted = {};
  double tolerance = 0.05;  ///< relative: what is no more is not a step
  bool is_step = false;
  /// A height of so much in a logarithm would have been significant for sure: half the width of the
  /// interval that is corrected for all tests. None: without p.
  std::optional<double> least_seen = {};
};

/// At the middle of three neighbouring sizes.
struct BendEstimate {
  std::size_t curve = 0;
  double low = 0.0;
  double middle = 0.0;
  double high = 0.0;
  double deviation = 0.0;  ///< of the middle from the line, a logarithm, mean over groups
  std::optional<double> p = {};
  std::optional<double> p_adjusted = {};
  double slope_below = 0.0;  ///< time a unit of size between the size before `low` and `low`
  double slope_above = 0.0;  ///< between `high` and the size behind it; both of medians over groups
  double tolerance = 0.05;
  bool is_bend = false;
};

/// A jump is what both lines say, so that p is the larger one of Student's two, and 1 where they
/// point in two directions; at the ends of a curve there is one line. A line that has another one
/// of these brackets within, in which the curve changes by more than it grows beside it, would take
/// a jump for a slope, and is not gone by. Throws std::invalid_argument where a bracket's sizes are
/// not of the curve. Of sizes between them nothing is asked. In the order of the brackets.
std::vector<StepEstimate> estimate_steps(std::span<const SizeTimes> curve,
                                         std::span<const SizeBracket> brackets, double tolerance);
/// Throws std::invalid_argument where these sizes are not of the curve.
BendEstimate estimate_bend(std::span<const SizeTimes> curve, const SizeBend& bend,
                           double tolerance);

/// Corrects all of them together, of all curves (Holm): steps and bends are what is significant at
/// alpha and beyond its tolerance. Between the outer sizes of a bend there is no step.
void judge_steps(std::span<StepEstimate> steps, std::span<BendEstimate> bends, double alpha);

}  // namespace invar::stats
