#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "stats/types.hpp"

// What may be claimed about two arms A and B in one cell.
namespace invar::stats {

/// The verdict speaks about A.
enum class Verdict {
  kEquivalent,  ///< the times differ by less than the smallest effect of interest, with the asked
                ///< confidence
  kFaster,      ///< A takes less time
  kSlower,      ///< A takes more time
  kUndecided,   ///< neither: more launches are needed. It never means "equal".
};

/// "equivalent", "faster", "slower", "undecided".
std::string_view to_string(Verdict verdict);

/// What a verdict rests on; nothing else enters.
struct Evidence {
  double ratio_a_to_b = 1.0;  ///< estimated time of A / time of B, > 0
  /// Of ratio_a_to_b, at 1 - alpha, not corrected for the family.
  std::optional<Interval> plain_interval = std::nullopt;
  std::optional<double> p_adjusted = std::nullopt;  ///< against ratio 1, corrected for the family
  std::size_t launches = 0;  ///< launches, or launch groups: the units of inference
  double resolution = 0.0;   ///< smallest relative difference the clock shows; ratio_resolution()
};

struct DecisionRule {
  double alpha = 0.05;       ///< in (0, 1); at a look of a sequential design its share
  double min_effect = 0.02;  ///< relative, >= 0: smaller differences do not matter to the user
};

/// In this order: fewer than 2 launches: undecided. Equivalent: the plain interval lies within [1 /
/// (1 + min_effect), 1 + min_effect] (the same for A/B and B/A) and min_effect >= resolution.
/// Faster, slower: p_adjusted <= alpha. Else undecided. Throws std::invalid_argument on a ratio
/// that is not a positive number, an interval with its ends exchanged or negative, p outside [0,
/// 1], alpha outside (0, 1), negative or NaN min_effect or resolution.
Verdict decide(const Evidence& evidence, const DecisionRule& rule);

/// Relative resolution of one median: 2 sqrt(step^2 / 12 / effective_count) / median. step >= 0 and
/// median > 0 in the same unit, effective_count > 0: the observations that the median rests on.
double relative_resolution(double step, double effective_count, double median);

/// Resolution of a ratio of two medians: the root of the sum of squares of theirs.
double ratio_resolution(double resolution_a, double resolution_b);

}  // namespace invar::stats
