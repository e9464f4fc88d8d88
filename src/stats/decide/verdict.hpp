#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "stats/types.hpp"

// What may be claimed about two arms A and B in one cell.
namespace invar::stats {

/// What is asked about a ratio. Two-sided: does it differ from 1? kGreater: is it above 1 + margin
/// (null hypothesis: ratio <= 1 + margin)? kLess: is it below 1 / (1 + margin) (null hypothesis:
/// ratio >= 1 / (1 + margin))? So the same is asked of A / B and, in the other direction, of B / A.
struct Hypothesis {
  Alternative alternative = Alternative::kTwoSided;
  double margin = 0.0;  ///< relative, >= 0; 0 if two-sided

  bool operator==(const Hypothesis&) const = default;

  [[nodiscard]] bool one_sided() const { return alternative != Alternative::kTwoSided; }
  /// Log of the ratio where the null hypothesis ends: +-log(1 + margin), 0 if two-sided.
  [[nodiscard]] double log_bound() const;
  /// The same question about the reciprocal ratio.
  [[nodiscard]] Hypothesis turned() const;
};

/// The verdict on a two-sided question speaks about A. The verdict on a one-sided question speaks
/// about the null hypothesis, which is what a user expects to be true ("a larger message takes no
/// less time").
enum class Verdict {
  kEquivalent,  ///< the times differ by less than the smallest effect of interest, with the asked
                ///< confidence
  kFaster,      ///< A takes less time
  kSlower,      ///< A takes more time
  kViolated,    ///< one-sided: the ratio is beyond the margin
  kHolds,       ///< one-sided: the ratio is within the margin, with the asked confidence
  kUndecided,   ///< none of these: more launches are needed. It never means "equal".
};

/// "equivalent", "faster", "slower", "violated", "holds", "undecided".
std::string_view to_string(Verdict verdict);

/// What a verdict rests on; nothing else enters.
struct Evidence {
  double ratio_a_to_b = 1.0;  ///< estimated time of A / time of B, > 0
  /// The interval of ratio_a_to_b at 1 - alpha (one-sided: each end at 1 - alpha), not corrected
  /// for the table.
  std::optional<Interval> plain_interval = std::nullopt;
  std::optional<double> p_adjusted = std::nullopt;  ///< of the hypothesis, corrected for the table
  std::size_t launches = 0;  ///< launches, or launch groups: the units of inference
  double resolution = 0.0;   ///< smallest relative difference the clock shows; ratio_resolution()
  Hypothesis hypothesis = {};
};

struct DecisionRule {
  double alpha = 0.05;       ///< in (0, 1); at a look of a sequential design its share
  double min_effect = 0.02;  ///< relative, >= 0: smaller differences do not matter to the user
};

/// Fewer than 2 launches: undecided. Two-sided, in this order: equivalent if the plain interval
/// lies within [1 / (1 + min_effect), 1 + min_effect] (the same for A/B and B/A) and min_effect >=
/// resolution; faster or slower if p_adjusted <= alpha; else undecided. One-sided: undecided if the
/// ratio is no further from the bound than the clock's resolution; violated if it is beyond and
/// p_adjusted <= alpha; holds if the whole plain interval is within; else undecided. Throws
/// std::invalid_argument on a ratio that is not a positive number, an interval with its ends
/// exchanged or negative, p outside [0, 1], alpha outside (0, 1), negative or NaN min_effect,
/// resolution or margin, a margin of a two-sided hypothesis.
Verdict decide(const Evidence& evidence, const DecisionRule& rule);

/// Relative resolution of one median: 2 sqrt(step^2 / 12 / effective_count) / median. step >= 0 and
/// median > 0 in the same unit, effective_count > 0: the observations that the median rests on.
double relative_resolution(double step, double effective_count, double median);

/// Resolution of a ratio of two medians: the root of the sum of squares of theirs.
double ratio_resolution(double resolution_a, double resolution_b);

}  // namespace invar::stats
