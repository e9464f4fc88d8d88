#include "stats/decide/verdict.hpp"

#include <cmath>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"

namespace invar::stats {
namespace {

void check_evidence(const Evidence& evidence, const DecisionRule& rule) {
  check::positive("decide", "ratio_a_to_b", evidence.ratio_a_to_b);
  if (evidence.plain_interval) {
    const Interval& interval = *evidence.plain_interval;
    // An infinite upper end is a real answer (3 blocks that disagree); NaN is none.
    if (!(interval.low >= 0.0 && interval.high >= interval.low)) {
      check::fail("decide", "the interval of the ratio must be ordered and not negative");
    }
  }
  if (evidence.p_adjusted) {
    check::closed_unit("decide", "p_adjusted", *evidence.p_adjusted);
  }
  check::not_negative("decide", "resolution", evidence.resolution);
  check::open_unit("decide", "alpha", rule.alpha);
  check::not_negative("decide", "min_effect", rule.min_effect);
  (void)evidence.hypothesis.log_bound();
}

Verdict decide_one_sided(const Evidence& evidence, const DecisionRule& rule) {
  const double bound = evidence.hypothesis.log_bound();
  const double sign = evidence.hypothesis.alternative == Alternative::kGreater ? 1.0 : -1.0;
  const double beyond = sign * (std::log(evidence.ratio_a_to_b) - bound);
  if (std::abs(beyond) <= std::log1p(evidence.resolution)) {
    return Verdict::kUndecided;
  }
  if (beyond > 0.0) {
    return evidence.p_adjusted && *evidence.p_adjusted <= rule.alpha ? Verdict::kViolated
                                                                     : Verdict::kUndecided;
  }
  if (!evidence.plain_interval) {
    return Verdict::kUndecided;
  }
  const Interval& interval = *evidence.plain_interval;
  const double far_end = std::log(sign > 0.0 ? interval.high : interval.low);
  return sign * (far_end - bound) <= 0.0 ? Verdict::kHolds : Verdict::kUndecided;
}

bool is_equivalent(const Evidence& evidence, double min_effect) {
  return evidence.plain_interval && min_effect >= evidence.resolution &&
         evidence.plain_interval->low >= 1.0 / (1.0 + min_effect) &&
         evidence.plain_interval->high <= 1.0 + min_effect;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kEquivalent:
      return "equivalent";
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kViolated:
      return "violated";
    case Verdict::kHolds:
      return "holds";
    case Verdict::kUndecided:
      break;
  }
  return "undecided";
}

double Hypothesis::log_bound() const {
  check::not_negative("hypothesis", "margin", margin);
  if (!one_sided() && margin != 0.0) {
    check::fail("hypothesis", "a margin needs a direction");
  }
  return alternative == Alternative::kLess ? -std::log1p(margin) : std::log1p(margin);
}

Hypothesis Hypothesis::turned() const {
  switch (alternative) {
    case Alternative::kGreater:
      return {.alternative = Alternative::kLess, .margin = margin};
    case Alternative::kLess:
      return {.alternative = Alternative::kGreater, .margin = margin};
    case Alternative::kTwoSided:
      break;
  }
  return *this;
}

Verdict decide(const Evidence& evidence, const DecisionRule& rule) {
  check_evidence(evidence, rule);
  if (evidence.launches < 2) {
    return Verdict::kUndecided;
  }
  if (evidence.hypothesis.one_sided()) {
    return decide_one_sided(evidence, rule);
  }
  if (is_equivalent(evidence, rule.min_effect)) {
    return Verdict::kEquivalent;
  }
  if (evidence.p_adjusted && *evidence.p_adjusted <= rule.alpha && evidence.ratio_a_to_b != 1.0) {
    return evidence.ratio_a_to_b < 1.0 ? Verdict::kFaster : Verdict::kSlower;
  }
  return Verdict::kUndecided;
}

double relative_resolution(double step, double effective_count, double median) {
  check::positive("relative_resolution", "median", median);
  return 2.0 * std::sqrt(quantisation_variance(step, effective_count)) / median;
}

double ratio_resolution(double resolution_a, double resolution_b) {
  check::not_negative("ratio_resolution", "resolution_a", resolution_a);
  check::not_negative("ratio_resolution", "resolution_b", resolution_b);
  return std::hypot(resolution_a, resolution_b);
}

}  // namespace invar::stats
