#include "stats/test/mean_ratio.hpp"

#include <algorithm>
#include <vector>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

// p of the test between x and r y. Where both are constant there is no t: they differ, or not.
double p_at(std::span<const double> x, std::span<const double> y, double r) {
  std::vector<double> scaled(y.begin(), y.end());
  for (double& value : scaled) value *= r;
  const std::optional<TTest> test = t_test_welch(x, scaled);
  return test ? test->p : 0;
}

// The end of the interval between `inside`, where the test keeps the hypothesis, and `outside`.
double end_between(std::span<const double> x, std::span<const double> y, double inside,
                   double outside, double alpha) {
  constexpr int kHalvings = 80;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (inside + outside) / 2;
    (p_at(x, y, middle) > alpha ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

MeanRatio mean_ratio(std::span<const double> x, std::span<const double> y, double confidence) {
  check::sample("mean_ratio", x);
  check::sample("mean_ratio", y);
  check::open_unit("mean_ratio", "confidence", confidence);
  for (const std::span<const double> sample : {x, y}) {
    if (!(std::ranges::min(sample) > 0)) check::fail("mean_ratio", "values must be positive");
  }
  MeanRatio result{.ratio = mean(x) / mean(y)};
  if (!t_test_welch(x, y) || p_at(x, y, result.ratio) == 0) return result;
  const double alpha = 1 - confidence;
  // Far from the ratio p tends to that of the mean of one sample against 0.
  constexpr double kFar = 1e6;
  const double low = result.ratio / kFar;
  const double high = result.ratio * kFar;
  if (p_at(x, y, low) > alpha || p_at(x, y, high) > alpha) return result;
  result.interval = Interval{end_between(x, y, result.ratio, low, alpha),
                             end_between(x, y, result.ratio, high, alpha), confidence};
  return result;
}

}  // namespace invar::stats
