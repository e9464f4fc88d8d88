#include "stats/decide/inference.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"
#include "stats/decide/multiplicity.hpp"
#include "stats/describe/moments.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

constexpr std::size_t kFewestBlocks = 3;

Interval exponential(const Interval& log_interval) {
  return {std::exp(log_interval.low), std::exp(log_interval.high), log_interval.confidence};
}

// The confidence of an interval's two ends together. Each end of a one-sided hypothesis has
// `confidence` by itself.
double confidence_of_both_ends(const char* function, double confidence,
                               const Hypothesis& hypothesis) {
  check::open_unit(function, "confidence", confidence);
  if (!hypothesis.one_sided()) {
    return confidence;
  }
  if (confidence <= 0.5) {
    check::fail(function, "a one-sided hypothesis needs a confidence above one half");
  }
  return 2.0 * confidence - 1.0;
}

// What is left of a log ratio's distance from the bound when everything that may be rounding is
// taken off.
double without_rounding(double log_ratio, const Hypothesis& hypothesis, double rounding) {
  const double bound = hypothesis.log_bound();
  switch (hypothesis.alternative) {
    case Alternative::kGreater:
      return log_ratio - rounding;
    case Alternative::kLess:
      return log_ratio + rounding;
    case Alternative::kTwoSided:
      break;
  }
  const double beyond = std::max(std::abs(log_ratio - bound) - rounding, 0.0);
  return bound + std::copysign(beyond, log_ratio - bound);
}

Interval wider(const Interval& log_interval, double rounding) {
  return {log_interval.low - rounding, log_interval.high + rounding, log_interval.confidence};
}

// Interval and p from a log ratio, if it allows any.
void test_ratio(RatioEstimate& result, double log_ratio, double standard_error, double df,
                double confidence, double rounding) {
  const TQuestion question{.hypothesis = result.hypothesis.log_bound(),
                           .alternative = result.hypothesis.alternative,
                           .confidence = confidence};
  const auto test = t_test_from(without_rounding(log_ratio, result.hypothesis, rounding),
                                standard_error, df, question);
  if (!test) {
    return;
  }
  result.interval =
      exponential(wider(t_interval(log_ratio, standard_error, df, confidence), rounding));
  result.p = test->p;
}

std::optional<Interval> interval_from_blocks(std::span<const double> blocks, double estimate,
                                             double confidence) {
  if (blocks.size() < kFewestBlocks) {
    return std::nullopt;
  }
  TQuestion question;
  question.confidence = confidence;
  const std::optional<TTest> test = t_test(blocks, question);
  if (!test) {
    return std::nullopt;
  }
  return Interval{std::min(test->interval.low, estimate), std::max(test->interval.high, estimate),
                  confidence};
}

std::vector<std::optional<double>> adjusted(const std::vector<std::optional<double>>& p,
                                            Correction correction) {
  switch (correction) {
    case Correction::kBenjaminiHochberg:
      return benjamini_hochberg(p);
    case Correction::kHolm:
      return holm(p);
    case Correction::kNone:
      break;
  }
  return p;
}

double confidence_of_rejected(Correction correction, double alpha, std::size_t rejected,
                              std::size_t tests) {
  switch (correction) {
    case Correction::kBenjaminiHochberg:
      return selected_confidence(alpha, rejected, tests);
    case Correction::kHolm:
      return selected_confidence_holm(alpha, rejected, tests);
    case Correction::kNone:
      break;
  }
  return 1.0 - alpha;
}

Evidence evidence_of(const TableRow& row, const TableTest& test) {
  return {.ratio_a_to_b = row.plain.ratio,
          .plain_interval = row.plain.interval,
          .p_adjusted = row.p_adjusted,
          .launches = row.plain.groups,
          .resolution = test.resolution,
          .hypothesis = row.plain.hypothesis};
}

// However small its p.
bool claims_nothing(Evidence evidence, const DecisionRule& rule) {
  evidence.p_adjusted = 0.0;
  const Verdict verdict = decide(evidence, rule);
  return evidence.hypothesis.one_sided() ? verdict != Verdict::kViolated
                                         : verdict == Verdict::kEquivalent;
}

}  // namespace

RatioEstimate estimate_ratio(const GroupDifferences& cell, double asked,
                             const Hypothesis& hypothesis) {
  check::sample("estimate_ratio", cell.d);
  check::finite("estimate_ratio", cell.only_group_blocks);
  check::not_negative("estimate_ratio", "variance_floor", cell.variance_floor);
  check::not_negative("estimate_ratio", "rounding", cell.rounding);
  const double confidence = confidence_of_both_ends("estimate_ratio", asked, hypothesis);

  const double centre = mean(cell.d);
  RatioEstimate result{.hypothesis = hypothesis};
  result.ratio = std::exp(centre);
  result.groups = cell.d.size();
  result.this_launch_only = result.groups == 1;
  if (result.this_launch_only) {
    if (const auto interval = interval_from_blocks(cell.only_group_blocks, centre, confidence)) {
      result.interval = exponential(wider(*interval, cell.rounding));
    }
    return result;
  }
  const double n = static_cast<double>(result.groups);
  const double squared = std::max(variance(cell.d).value_or(0.0), cell.variance_floor);
  test_ratio(result, centre, std::sqrt(squared / n), n - 1.0, confidence, cell.rounding);
  return result;
}

RatioEstimate reciprocal(const RatioEstimate& estimate) {
  RatioEstimate result = estimate;
  result.ratio = 1.0 / estimate.ratio;
  result.hypothesis = estimate.hypothesis.turned();
  if (estimate.interval) {
    result.interval = Interval{1.0 / estimate.interval->high, 1.0 / estimate.interval->low,
                               estimate.interval->confidence};
  }
  return result;
}

RatioEstimate estimate_ratio_unpaired(const UnpairedLaunches& cell, double asked,
                                      const Hypothesis& hypothesis) {
  check::sample("estimate_ratio_unpaired", cell.log_a);
  check::sample("estimate_ratio_unpaired", cell.log_b);
  check::not_negative("estimate_ratio_unpaired", "variance_floor_a", cell.variance_floor_a);
  check::not_negative("estimate_ratio_unpaired", "variance_floor_b", cell.variance_floor_b);
  check::not_negative("estimate_ratio_unpaired", "rounding", cell.rounding);
  const double confidence = confidence_of_both_ends("estimate_ratio_unpaired", asked, hypothesis);

  const double difference = mean(cell.log_a) - mean(cell.log_b);
  RatioEstimate result{.hypothesis = hypothesis};
  result.ratio = std::exp(difference);
  result.groups = std::min(cell.log_a.size(), cell.log_b.size());
  if (result.groups < 2) {
    return result;
  }
  const double n = static_cast<double>(cell.log_a.size());
  const double m = static_cast<double>(cell.log_b.size());
  const double a = std::max(variance(cell.log_a).value_or(0.0), cell.variance_floor_a) / n;
  const double b = std::max(variance(cell.log_b).value_or(0.0), cell.variance_floor_b) / m;
  if (a + b == 0.0) {
    return result;
  }
  // Welch 1947, Satterthwaite 1946.
  const double df = (a + b) * (a + b) / (a * a / (n - 1.0) + b * b / (m - 1.0));
  test_ratio(result, difference, std::sqrt(a + b), df, confidence, cell.rounding);
  return result;
}

std::optional<std::size_t> groups_needed(double sd, double half_width, double confidence) {
  check::not_negative("groups_needed", "sd", sd);
  check::positive("groups_needed", "half_width", half_width);
  check::open_unit("groups_needed", "confidence", confidence);
  constexpr std::size_t kMost = 1'000'000;
  const auto wide = [&](std::size_t n) {
    const double groups = static_cast<double>(n);
    return t_quantile(0.5 + confidence / 2.0, groups - 1.0) * sd / std::sqrt(groups) > half_width;
  };
  // The half-width falls with n: bisection.
  std::size_t low = 1;
  std::size_t high = 2;
  while (wide(high)) {
    if (high > kMost) {
      return std::nullopt;
    }
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (wide(middle) ? low : high) = middle;
  }
  return high > kMost ? std::nullopt : std::optional(high);
}

std::vector<TableRow> judge_table(std::span<const TableTest> tests, const DecisionRule& rule,
                                  Correction correction) {
  check::open_unit("judge_table", "alpha", rule.alpha);
  std::vector<TableRow> rows(tests.size());
  std::vector<std::optional<double>> p(tests.size());
  for (std::size_t i = 0; i < tests.size(); ++i) {
    rows[i].plain = tests[i].estimate(1.0 - rule.alpha);
    rows[i].printed_interval = rows[i].plain.interval;
    p[i] = rows[i].plain.p;
    // A row that claims nothing whatever its p, such as one that is equivalent, must not have a
    // small one: it would raise the share of alpha of the others, all of whose claims may then be
    // false.
    if (p[i] && claims_nothing(evidence_of(rows[i], tests[i]), rule)) p[i] = 1.0;
  }

  const std::vector<std::optional<double>> p_adjusted = adjusted(p, correction);
  std::size_t count = 0;
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].p_adjusted = p_adjusted[i];
    rows[i].rejected = p_adjusted[i] && *p_adjusted[i] <= rule.alpha;
    count += p_adjusted[i] ? 1U : 0U;
    rejected += rows[i].rejected ? 1U : 0U;
  }

  for (std::size_t i = 0; i < rows.size(); ++i) {
    TableRow& row = rows[i];
    if (row.rejected) {
      const double confidence = confidence_of_rejected(correction, rule.alpha, rejected, count);
      row.printed_interval = tests[i].estimate(confidence).interval;
    }
    row.verdict = decide(evidence_of(row, tests[i]), rule);
  }
  return rows;
}

std::vector<TableRow> compare_table(std::span<const TableCell> cells, const DecisionRule& rule,
                                    Correction correction) {
  std::vector<TableTest> tests;
  tests.reserve(cells.size());
  for (const TableCell& cell : cells) {
    tests.push_back({.estimate =
                         [&cell](double confidence) {
                           return estimate_ratio(cell.differences, confidence, cell.hypothesis);
                         },
                     .resolution = cell.resolution});
  }
  return judge_table(tests, rule, correction);
}

}  // namespace invar::stats
