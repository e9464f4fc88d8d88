#include "stats/model/size_steps.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "stats/check.hpp"
#include "stats/decide/multiplicity.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

std::size_t place_on_curve(std::span<const SizeTimes> curve, double size) {
  const auto found = std::ranges::find(curve, size, &SizeTimes::size);
  if (found == curve.end()) check::fail("steps of a curve", "it has no such size");
  return static_cast<std::size_t>(found - curve.begin());
}

// Another bracket lies between these sizes.
bool jumps_within(double low, double high, const SizeBracket& own,
                  std::span<const SizeBracket> others) {
  return std::ranges::any_of(others, [&](const SizeBracket& other) {
    const bool same = other.low == own.low && other.high == own.high;
    return !same && other.low >= low && other.high <= high;
  });
}

// A jump is the surer the longer its lines are.
constexpr double kLineWidths = 2.0;
// A line that is much shorter than what it is to cross goes anywhere.
constexpr double kShortestLine = 0.25;
// A single line cannot tell a jump from a bend, unless it is long beside the bracket.
constexpr double kShortestOnlyLine = 2.0;

// The far end of the line from below, as near as no other bracket is on it.
std::optional<std::size_t> line_below(std::span<const SizeTimes> curve, std::size_t low,
                                      std::size_t high, const SizeBracket& bracket,
                                      std::span<const SizeBracket> others) {
  auto before = size_before(curve, low, high, kLineWidths);
  while (before && jumps_within(curve[*before].size, bracket.low, bracket, others)) {
    if (++*before == low) before.reset();
  }
  return before;
}

std::optional<std::size_t> line_above(std::span<const SizeTimes> curve, std::size_t low,
                                      std::size_t high, const SizeBracket& bracket,
                                      std::span<const SizeBracket> others) {
  auto behind = size_behind(curve, low, high, kLineWidths);
  while (behind && jumps_within(bracket.high, curve[*behind].size, bracket, others)) {
    if (--*behind == high) behind.reset();
  }
  return behind;
}

struct Lines {
  std::optional<std::size_t> before = {};
  std::optional<std::size_t> behind = {};
};

// Those that are long enough to go by.
Lines lines_of(std::span<const SizeTimes> curve, const SizeBracket& bracket,
               std::span<const SizeBracket> others) {
  const std::size_t low = place_on_curve(curve, bracket.low);
  const std::size_t high = place_on_curve(curve, bracket.high);
  Lines lines{.before = line_below(curve, low, high, bracket, others),
              .behind = line_above(curve, low, high, bracket, others)};
  const double width = bracket.high - bracket.low;
  const auto drop_shorter = [&](double share) {
    if (lines.before && bracket.low - curve[*lines.before].size < share * width) {
      lines.before.reset();
    }
    if (lines.behind && curve[*lines.behind].size - bracket.high < share * width) {
      lines.behind.reset();
    }
  };
  drop_shorter(kShortestLine);
  if (!lines.before || !lines.behind) drop_shorter(kShortestOnlyLine);
  return lines;
}

double median_time(const SizeTimes& size) {
  std::vector<double> times = present(size.log_times);
  for (double& time : times) time = std::exp(time);
  return times.empty() ? 0.0 : median(times);
}

// 0 at the ends of the curve: there is none.
double slope_between(std::span<const SizeTimes> curve, std::size_t low, std::size_t high) {
  if (low >= high || high >= curve.size()) return 0.0;
  return (median_time(curve[high]) - median_time(curve[low])) /
         (curve[high].size - curve[low].size);
}

// The curve changes between these sizes by more than it grows on either side of them: a rough look,
// for what is to be kept out of lines.
bool changes_by_itself(std::span<const SizeTimes> curve, const SizeBracket& bracket,
                       double tolerance) {
  const std::size_t low = place_on_curve(curve, bracket.low);
  const std::size_t high = place_on_curve(curve, bracket.high);
  const double below = median_time(curve[low]);
  const double above = median_time(curve[high]);
  if (!(below > 0 && above > 0)) return false;
  std::optional<double> growth;
  const auto take = [&](double slope, double from) {
    const double grown = std::abs(slope) * (bracket.high - bracket.low) / from;
    if (!growth || grown < *growth) growth = grown;
  };
  if (low > 0) take(slope_between(curve, low - 1, low), below);
  if (high + 1 < curve.size()) take(slope_between(curve, high, high + 1), above);
  return std::abs(std::log(above / below)) >
         std::log1p(tolerance) / 2 + 2 * std::log1p(growth.value_or(0.0));
}

// Two-sided against 0. Data that are all equal leave no doubt.
std::optional<double> p_of(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto test = t_test(values);
  if (test) return test->p;
  return values.front() == 0 ? 1.0 : 0.0;
}

// Both say so, in one direction.
std::optional<double> p_of_both(const std::vector<double>& below,
                                const std::vector<double>& above) {
  const std::optional<double> p_below = p_of(below);
  const std::optional<double> p_above = p_of(above);
  if (!p_below || !p_above) return std::nullopt;
  if (agreed(mean(below), mean(above)) == 0) return 1.0;
  return std::max(*p_below, *p_above);
}

std::optional<Interval> interval_of(const std::vector<double>& values, double confidence) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  const double error = standard_deviation(values).value_or(0.0) / std::sqrt(count);
  return t_interval(mean(values), error, count - 1, confidence);
}

StepEstimate estimate_step(std::span<const SizeTimes> curve, const SizeBracket& bracket,
                           std::span<const SizeBracket> others, double tolerance) {
  const std::size_t low = place_on_curve(curve, bracket.low);
  const std::size_t high = place_on_curve(curve, bracket.high);
  StepEstimate step{
      .curve = bracket.curve, .low = bracket.low, .high = bracket.high, .tolerance = tolerance};
  const auto [before, behind] = lines_of(curve, bracket, others);
  if (!before && !behind) return step;
  if (!before || !behind) {
    step.heights = present(before ? jumps_from_below(curve, *before, low, high)
                                  : jumps_from_above(curve, low, high, *behind));
    step.p = p_of(step.heights);
  } else {
    const ByGroup below = jumps_from_below(curve, *before, low, high);
    const ByGroup above = jumps_from_above(curve, low, high, *behind);
    std::vector<double> of_below;
    std::vector<double> of_above;
    for (std::size_t group = 0; group < below.size(); ++group) {
      if (!below[group] || !above[group]) continue;
      of_below.push_back(*below[group]);
      of_above.push_back(*above[group]);
      step.heights.push_back((*below[group] + *above[group]) / 2);
    }
    step.p = p_of_both(of_below, of_above);
  }
  if (!step.heights.empty()) step.log_height = mean(step.heights);
  return step;
}

}  // namespace

std::vector<StepEstimate> estimate_steps(std::span<const SizeTimes> curve,
                                         std::span<const SizeBracket> brackets, double tolerance) {
  std::vector<SizeBracket> jumping;
  std::ranges::copy_if(brackets, std::back_inserter(jumping), [&](const SizeBracket& bracket) {
    return changes_by_itself(curve, bracket, tolerance);
  });
  std::vector<StepEstimate> steps;
  steps.reserve(brackets.size());
  for (const SizeBracket& bracket : brackets) {
    steps.push_back(estimate_step(curve, bracket, jumping, tolerance));
  }
  return steps;
}

BendEstimate estimate_bend(std::span<const SizeTimes> curve, const SizeBend& bend,
                           double tolerance) {
  const std::size_t low = place_on_curve(curve, bend.low);
  const std::size_t middle = place_on_curve(curve, bend.middle);
  const std::size_t high = place_on_curve(curve, bend.high);
  const std::vector<double> d = present(deviations_from_line(curve, low, middle, high));
  BendEstimate estimate{.curve = bend.curve,
                        .low = bend.low,
                        .middle = bend.middle,
                        .high = bend.high,
                        .tolerance = tolerance};
  if (!d.empty()) estimate.deviation = mean(d);
  estimate.p = p_of(d);
  estimate.slope_below =
      low == 0 ? slope_between(curve, low, middle) : slope_between(curve, low - 1, low);
  estimate.slope_above = high + 1 == curve.size() ? slope_between(curve, middle, high)
                                                  : slope_between(curve, high, high + 1);
  return estimate;
}

void judge_steps(std::span<StepEstimate> steps, std::span<BendEstimate> bends, double alpha) {
  check::open_unit("steps of a curve", "alpha", alpha);
  std::vector<std::optional<double>> p;
  p.reserve(steps.size() + bends.size());
  for (const StepEstimate& step : steps) p.push_back(step.p);
  for (const BendEstimate& bend : bends) p.push_back(bend.p);
  const std::vector<std::optional<double>> adjusted = holm(p);
  const auto rejects = [&](const std::optional<double>& one) { return one && *one <= alpha; };
  const auto rejected = static_cast<std::size_t>(std::ranges::count_if(adjusted, rejects));
  const auto tests = static_cast<std::size_t>(
      std::ranges::count_if(adjusted, [](const auto& one) { return one.has_value(); }));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    StepEstimate& step = steps[i];
    step.p_adjusted = adjusted[i];
    if (step.p) {
      const auto widest = interval_of(step.heights, 1 - alpha / static_cast<double>(tests));
      if (widest) step.least_seen = (widest->high - widest->low) / 2;
    }
    const bool significant = rejects(step.p_adjusted);
    step.is_step = significant && std::abs(step.log_height) > std::log1p(step.tolerance);
    step.interval = interval_of(
        step.heights, significant ? selected_confidence_holm(alpha, rejected, tests) : 1 - alpha);
  }
  for (std::size_t i = 0; i < bends.size(); ++i) {
    BendEstimate& bend = bends[i];
    bend.p_adjusted = adjusted[steps.size() + i];
    const bool has_step = std::ranges::any_of(steps, [&](const StepEstimate& step) {
      return step.is_step && step.curve == bend.curve && step.low >= bend.low &&
             step.high <= bend.high;
    });
    bend.is_bend = rejects(bend.p_adjusted) && !has_step &&
                   std::abs(bend.deviation) > std::log1p(bend.tolerance);
  }
}

}  // namespace invar::stats
