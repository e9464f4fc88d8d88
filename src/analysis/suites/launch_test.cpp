#include "analysis/suites/launch_test.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "analysis/words/words.hpp"
#include "stats/describe/moments.hpp"
#include "stats/test/hodges_lehmann.hpp"
#include "stats/test/kolmogorov_smirnov.hpp"
#include "stats/test/mean_ratio.hpp"
#include "stats/test/student.hpp"
#include "stats/test/wilcoxon.hpp"

namespace invar::analysis {
namespace {

using Values = std::vector<double>;

Values values_of(const CellVisits& visits) {
  Values values;
  for (const LaunchVisits& launch : visits.launches) values.push_back(launch.median_ns);
  return values;
}

struct TestResult {
  std::optional<double> p = {};
  double below = 0;  // how much speaks for a taking less time than b, against 0; 0: neither does
};

TestResult by_wilcoxon(const Values& a, const Values& b, stats::Alternative alternative) {
  const stats::RankTest test = stats::rank_sum_test(a, b, alternative);
  const double pairs = static_cast<double>(a.size()) * static_cast<double>(b.size());
  return {.p = test.p, .below = pairs / 2 - test.statistic};
}

// Where the distribution function of a lies above that of b, a takes less time: in R that
// alternative is "greater".
TestResult by_kolmogorov_smirnov(const Values& a, const Values& b, stats::Alternative alternative) {
  using stats::Alternative;
  const Alternative of_functions = alternative == Alternative::kLess      ? Alternative::kGreater
                                   : alternative == Alternative::kGreater ? Alternative::kLess
                                                                          : Alternative::kTwoSided;
  const double above = stats::kolmogorov_smirnov_test(a, b, Alternative::kGreater).statistic;
  const double under = stats::kolmogorov_smirnov_test(a, b, Alternative::kLess).statistic;
  return {.p = stats::kolmogorov_smirnov_test(a, b, of_functions).p, .below = above - under};
}

TestResult by_student(const Values& a, const Values& b, stats::Alternative alternative) {
  const std::optional<stats::TTest> test = stats::t_test_welch(a, b, {.alternative = alternative});
  if (!test) return {};
  return {.p = test->p, .below = -test->estimate};
}

TestResult test_by(design::LaunchTest test, const Values& a, const Values& b,
                   stats::Alternative alternative) {
  switch (test) {
    case design::LaunchTest::kWilcoxon:
      return by_wilcoxon(a, b, alternative);
    case design::LaunchTest::kKolmogorovSmirnov:
      return by_kolmogorov_smirnov(a, b, alternative);
    case design::LaunchTest::kStudent:
      return by_student(a, b, alternative);
  }
  return {};
}

void put_shift(ComparedCell& row, const CellVisits& a, const CellVisits& b, double confidence) {
  const stats::LocationEstimate shift =
      stats::hodges_lehmann_shift(b.log_medians(), a.log_medians(), confidence);
  row.ratio = std::exp(shift.estimate);
  if (row.launches < 2 || !shift.interval) return;
  row.ratio_interval = stats::Interval{std::exp(shift.interval->low),
                                       std::exp(shift.interval->high), shift.interval->confidence};
}

TimeEstimate mean_time(const Values& values, double confidence) {
  TimeEstimate time{.median_ns = stats::mean(values), .estimate = Estimate::kMean};
  if (const auto test = stats::t_test(values, {.confidence = confidence})) {
    time.interval_ns = test->interval;
  }
  return time;
}

void put_means(ComparedCell& row, const Values& a, const Values& b, double confidence) {
  row.time_a = mean_time(a, confidence);
  row.time_b = mean_time(b, confidence);
  const stats::MeanRatio means = stats::mean_ratio(b, a, confidence);
  row.ratio = means.ratio;
  row.ratio_interval = means.interval;
}

std::string direction_words(stats::Alternative alternative) {
  if (alternative == stats::Alternative::kTwoSided) return {};
  return std::string(", one-sided: the first arm takes ") +
         (alternative == stats::Alternative::kLess ? "less" : "more") + " time";
}

}  // namespace

void judge_launches(ComparedCell& row, const CellVisits& a, const CellVisits& b,
                    const Rules& rules) {
  const bool verdicts = rules.no_verdict.empty();
  if (verdicts) row.verdict = stats::Verdict::kUndecided;
  // Times that are too short for the clock have no ratio.
  if (a.log_medians().empty() || b.log_medians().empty()) return;
  const Values times_a = values_of(a);
  const Values times_b = values_of(b);
  row.launches = std::min(times_a.size(), times_b.size());
  row.this_launch_only = row.launches == 1;
  const double confidence = 1 - rules.decision.alpha;
  if (rules.test == design::LaunchTest::kStudent) {
    put_means(row, times_a, times_b, confidence);
  } else {
    put_shift(row, a, b, confidence);
  }
  if (row.launches < 2 || !verdicts) return;
  const TestResult result = test_by(rules.test, times_a, times_b, rules.alternative);
  row.p = result.p;
  row.rounding = std::max(a.rounding(), b.rounding());
  if (!result.p || *result.p > rules.decision.alpha) return;
  // These tests take printed numbers for exact: what may be rounding is not a difference.
  if (row.rounding > 0 && (!row.ratio || std::abs(std::log(*row.ratio)) <= row.rounding)) return;
  if (result.below > 0) row.verdict = stats::Verdict::kFaster;
  if (result.below < 0) row.verdict = stats::Verdict::kSlower;
}

std::string_view alternative_name(stats::Alternative alternative) {
  switch (alternative) {
    case stats::Alternative::kLess:
      return "less";
    case stats::Alternative::kGreater:
      return "greater";
    case stats::Alternative::kTwoSided:
      break;
  }
  return "two-sided";
}

std::string launch_test_words(const Comparison& comparison) {
  return std::string(design::launch_test_info(comparison.launch_test).words) + " over launches" +
         direction_words(comparison.alternative);
}

std::string launch_test_name(const Comparison& comparison) {
  if (comparison.preset.empty()) return launch_test_words(comparison);
  return "preset " + comparison.preset + direction_words(comparison.alternative);
}

std::string launch_test_reading(const Comparison& comparison, const std::string& estimates) {
  const design::LaunchTestInfo& info = design::launch_test_info(comparison.launch_test);
  const bool means = comparison.launch_test == design::LaunchTest::kStudent;
  const bool filtered = comparison.preset != "pgmpi";
  std::string text = "times: ";
  text += means ? "mean over launches of their means" : estimates + " over launches' medians";
  text += std::string(filtered ? " after Tukey's filter" : "") + ", " +
          runtime_words(comparison.global_runtime, comparison.local_cells) + ", " +
          percent_text(1 - comparison.alpha);
  if (info.test == design::LaunchTest::kKolmogorovSmirnov) {
    text += "; ratios: Hodges and Lehmann's, which this test does not speak of";
  }
  if (comparison.alternative != stats::Alternative::kTwoSided) text += "; intervals: two-sided";
  return text + "; p: " + launch_test_words(comparison) + ", not corrected, * .05 ** .01 *** .001";
}

}  // namespace invar::analysis
