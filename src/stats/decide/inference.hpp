#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stats/decide/verdict.hpp"
#include "stats/types.hpp"

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
  /// How far off all values of d may be together, however many they are, >= 0: what was rounded
  /// before anybody here saw it. log(1 + relative error).
  double rounding = 0.0;
};

/// Ratio time of A / time of B.
struct RatioEstimate {
  double ratio = 1.0;  ///< exp(mean d): geometric mean over groups
  std::optional<Interval> interval =
      std::nullopt;  ///< of the ratio; see estimate_ratio for when there is none
  std::optional<double> p = std::nullopt;  ///< of the hypothesis
  std::size_t groups = 0;
  bool this_launch_only = false;  ///< one group: the interval says nothing about the next launch
  Hypothesis hypothesis = {};     ///< that p is about
};

/// With two groups or more: t interval and t test on d, n - 1 df, variance at least the floor. No
/// interval and no p if d is constant and the floor 0. With one group: no p; the interval is
/// Student's t on its block values, none below 3 blocks or for constant blocks; d is a median over
/// blocks and the t interval belongs to their mean, so it is widened where needed to contain the
/// estimate. One-sided hypotheses: p of Student's t of d - log(bound) in that direction, and each
/// end of the interval has the asked confidence by itself, so that the whole has 2 confidence - 1
/// and excludes the bound if and only if p < 1 - confidence. With a rounding p is that of the null
/// hypothesis that d is no further from the bound than this, and both ends of the interval lie so
/// much further out: a difference below it is none, whatever the number of groups. Throws
/// std::invalid_argument on empty d, NaN, infinity, a negative floor or rounding, confidence
/// outside (0, 1), one-sided outside (1/2, 1).
RatioEstimate estimate_ratio(const GroupDifferences& cell, double confidence,
                             const Hypothesis& hypothesis = {});

/// The same statement about time of B / time of A.
RatioEstimate reciprocal(const RatioEstimate& estimate);

/// Log run-times of two arms that were not measured together: one value a launch, not paired.
struct UnpairedLaunches {
  std::span<const double> log_a;  ///< not empty
  std::span<const double> log_b;  ///< not empty
  /// As GroupDifferences::variance_floor, of one value of each arm.
  double variance_floor_a = 0.0;
  double variance_floor_b = 0.0;
  double rounding = 0.0;  ///< of the difference, as GroupDifferences::rounding
};

/// Welch's t on log run-times: ratio of the geometric means, time of A / time of B. `groups` is the
/// smaller number of launches. Neither interval nor p if an arm has one launch only, or if both are
/// constant and the floors 0. One-sided and throws as estimate_ratio.
RatioEstimate estimate_ratio_unpaired(const UnpairedLaunches& cell, double confidence,
                                      const Hypothesis& hypothesis = {});

/// Launch groups with which the interval of a ratio gets a half-width of at most `half_width` (of
/// the log ratio, > 0) if d goes on to have the standard deviation `sd` (>= 0): the smallest n >= 2
/// with t(n - 1) sd / sqrt(n) <= half_width. Empty above a million groups. Throws
/// std::invalid_argument on other arguments.
std::optional<std::size_t> groups_needed(double sd, double half_width, double confidence);

enum class Correction { kBenjaminiHochberg, kHolm, kNone };

struct TableRow {
  RatioEstimate plain;  ///< interval at 1 - alpha
  std::optional<Interval>
      printed_interval;  ///< agrees with the verdict: wider where the correction rejected
  std::optional<double> p_adjusted = std::nullopt;
  bool rejected = false;  ///< p_adjusted <= alpha
  Verdict verdict = Verdict::kUndecided;
};

struct TableCell {
  GroupDifferences differences;
  double resolution = 0.0;  ///< ratio_resolution() of the two arms
  Hypothesis hypothesis = {};
};

/// One test of a table, whatever its design: paired, unpaired, within one launch; and whatever its
/// hypothesis, which the estimate names.
struct TableTest {
  std::function<RatioEstimate(double confidence)> estimate;
  double resolution = 0.0;
};

/// Everything that is corrected together, as one table. Rows without p do not count as tests; those
/// that claim nothing however small their p (equivalent, holds, within the clock's resolution of
/// the bound) count with p = 1. Printed intervals: for the R of m that were rejected 1 - alpha R/m
/// (Holm: 1 - alpha / (m - R + 1)), so that they exclude the bound; else the plain ones.
std::vector<TableRow> judge_table(std::span<const TableTest> tests, const DecisionRule& rule,
                                  Correction correction = Correction::kBenjaminiHochberg);

/// The same for paired cells.
std::vector<TableRow> compare_table(std::span<const TableCell> cells, const DecisionRule& rule,
                                    Correction correction = Correction::kBenjaminiHochberg);

}  // namespace invar::stats
