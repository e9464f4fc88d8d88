#include "stats/inference.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"
#include "stats/moments.hpp"
#include "stats/multiplicity.hpp"
#include "stats/student.hpp"

namespace invar::stats {
namespace {

constexpr std::size_t kFewestBlocks = 3;

Interval exponential(const Interval& log_interval) {
  return {std::exp(log_interval.low), std::exp(log_interval.high), log_interval.confidence};
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

}  // namespace

RatioEstimate estimate_ratio(const GroupDifferences& cell, double confidence) {
  check::sample("estimate_ratio", cell.d);
  check::finite("estimate_ratio", cell.only_group_blocks);
  check::not_negative("estimate_ratio", "variance_floor", cell.variance_floor);
  check::open_unit("estimate_ratio", "confidence", confidence);

  const double centre = mean(cell.d);
  RatioEstimate result;
  result.ratio = std::exp(centre);
  result.groups = cell.d.size();
  result.this_launch_only = result.groups == 1;
  if (result.this_launch_only) {
    if (const auto interval = interval_from_blocks(cell.only_group_blocks, centre, confidence)) {
      result.interval = exponential(*interval);
    }
    return result;
  }
  const double n = static_cast<double>(result.groups);
  const double squared = std::max(variance(cell.d).value_or(0.0), cell.variance_floor);
  TQuestion question;
  question.confidence = confidence;
  if (const auto test = t_test_from(centre, std::sqrt(squared / n), n - 1.0, question)) {
    result.interval = exponential(test->interval);
    result.p = test->p;
  }
  return result;
}

RatioEstimate reciprocal(const RatioEstimate& estimate) {
  RatioEstimate result = estimate;
  result.ratio = 1.0 / estimate.ratio;
  if (estimate.interval) {
    result.interval = Interval{1.0 / estimate.interval->high, 1.0 / estimate.interval->low,
                               estimate.interval->confidence};
  }
  return result;
}

std::vector<TableRow> compare_table(std::span<const TableCell> cells, const DecisionRule& rule,
                                    Correction correction) {
  check::open_unit("compare_table", "alpha", rule.alpha);
  std::vector<TableRow> rows(cells.size());
  std::vector<std::optional<double>> p(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    rows[i].plain = estimate_ratio(cells[i].differences, 1.0 - rule.alpha);
    rows[i].printed_interval = rows[i].plain.interval;
    p[i] = rows[i].plain.p;
  }

  const std::vector<std::optional<double>> p_adjusted = adjusted(p, correction);
  std::size_t tests = 0;
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].p_adjusted = p_adjusted[i];
    rows[i].rejected = p_adjusted[i] && *p_adjusted[i] <= rule.alpha;
    tests += p_adjusted[i] ? 1U : 0U;
    rejected += rows[i].rejected ? 1U : 0U;
  }

  for (std::size_t i = 0; i < rows.size(); ++i) {
    TableRow& row = rows[i];
    if (row.rejected) {
      const double confidence = confidence_of_rejected(correction, rule.alpha, rejected, tests);
      row.printed_interval = estimate_ratio(cells[i].differences, confidence).interval;
    }
    row.verdict = decide({.ratio_a_to_b = row.plain.ratio,
                          .plain_interval = row.plain.interval,
                          .p_adjusted = row.p_adjusted,
                          .launches = row.plain.groups,
                          .resolution = cells[i].resolution},
                         rule);
  }
  return rows;
}

}  // namespace invar::stats
