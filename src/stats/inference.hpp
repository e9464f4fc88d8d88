#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stats/types.hpp"
#include "stats/verdict.hpp"

// Invar's method of inference (method = "invar"): Student's t on one paired log ratio per launch
// group, then one correction over the whole table.
namespace invar::stats {

/// One cell, two arms. The launch group is the unit: what is inside a group never counts as
/// replication.
struct GroupDifferences {
  /// One value a group: d = median over the group's blocks of log(time of A) - log(time of B). Not
  /// empty.
  std::span<const double> d;
  /// Smallest variance that a single d can have, from the step of the clock:
  /// quantisation_variance(step, count) / median^2, summed over the two arms. 0: no floor.
  double variance_floor = 0.0;
  /// The block values of the only group; looked at only if d has one value.
  std::span<const double> only_group_blocks = {};
};

/// Ratio time of A / time of B.
struct RatioEstimate {
  double ratio = 1.0;                ///< exp(mean d): geometric mean over groups
  std::optional<Interval> interval;  ///< of the ratio; see estimate_ratio for when there is none
  std::optional<double> p;           ///< two-sided, against ratio 1
  std::size_t groups = 0;
  bool this_launch_only = false;  ///< one group: the interval says nothing about the next launch
};

/// With two groups or more: t interval and t test on d, n - 1 df, variance at least the floor. No
/// interval and no p if d is constant and the floor 0. With one group: no p; the interval is
/// Student's t on its block values, none below 3 blocks or for constant blocks; d is a median over
/// blocks and the t interval belongs to their mean, so it is widened where needed to contain the
/// estimate. Throws std::invalid_argument on empty d, NaN, infinity, a negative floor, confidence
/// outside (0, 1).
RatioEstimate estimate_ratio(const GroupDifferences& cell, double confidence);

/// The same statement about time of B / time of A.
RatioEstimate reciprocal(const RatioEstimate& estimate);

enum class Correction { kBenjaminiHochberg, kHolm, kNone };

struct TableRow {
  RatioEstimate plain;  ///< interval at 1 - alpha
  std::optional<Interval>
      printed_interval;  ///< agrees with the verdict: wider where the correction rejected
  std::optional<double> p_adjusted;
  bool rejected = false;  ///< p_adjusted <= alpha
  Verdict verdict = Verdict::kUndecided;
};

struct TableCell {
  GroupDifferences differences;
  double resolution = 0.0;  ///< ratio_resolution() of the two arms
};

/// Everything that one command prints, as one family of tests. Rows without p do not count as
/// tests. Printed intervals: for the R of m that were rejected 1 - alpha R/m (Holm: 1 - alpha / (m
/// - R + 1)), so that they exclude 1; else the plain ones.
std::vector<TableRow> compare_table(std::span<const TableCell> cells, const DecisionRule& rule,
                                    Correction correction = Correction::kBenjaminiHochberg);

}  // namespace invar::stats
