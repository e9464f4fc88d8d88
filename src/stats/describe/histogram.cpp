#include "stats/describe/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::stats {
namespace {

constexpr double kOutside = 0.025;
constexpr double kPadding = 0.1;
constexpr double kReachInQuartileRanges = 3.0;
// A constant sample has no width of its own.
constexpr double kWidthOfConstant = 0.01;

std::size_t bins_up_to(double low, double width, double high) {
  return static_cast<std::size_t>(std::floor((high - low) / width)) + 1;
}

// Without a clock's step. The bins end above `high`, so that it is in the last one.
void lay_bins(Histogram& bins, const CentralPart& part, double width, std::size_t most_bins) {
  const double range = part.high - part.low;
  const auto most = static_cast<double>(most_bins);
  // A little more than range / most, because the last bin must reach beyond `high`.
  bins.width = std::max(width, range / most * (1.0 + 1e-9));
  bins.low = part.low;
}

void lay_bins_on_steps(Histogram& bins, const CentralPart& part, double width, double step,
                       std::size_t most_bins) {
  bins.low = (std::round(part.low / step) - 0.5) * step;
  const double steps = (part.high - bins.low) / step;
  double per_bin =
      std::max({1.0, std::round(width / step), std::floor(steps / static_cast<double>(most_bins))});
  while (bins_up_to(bins.low, per_bin * step, part.high) > most_bins) per_bin += 1.0;
  bins.width = per_bin * step;
}

}  // namespace

CentralPart central_part(std::span<const double> sorted) {
  check::sample("central_part", sorted);
  const double q1 = quantile_sorted(sorted, 0.25);
  const double q3 = quantile_sorted(sorted, 0.75);
  const double low = quantile_sorted(sorted, kOutside);
  const double high = quantile_sorted(sorted, 1.0 - kOutside);
  const double padding = kPadding * (high - low);
  const double reach = kReachInQuartileRanges * (q3 - q1);
  return {.low = std::max(sorted.front(), std::min(low - padding, q1 - reach)),
          .high = std::min(sorted.back(), std::max(high + padding, q3 + reach))};
}

double freedman_diaconis_width(std::span<const double> sorted) {
  check::sample("freedman_diaconis_width", sorted);
  const double iqr = quantile_sorted(sorted, 0.75) - quantile_sorted(sorted, 0.25);
  return 2.0 * iqr / std::cbrt(static_cast<double>(sorted.size()));
}

Histogram robust_histogram(std::span<const double> sorted, double step, std::size_t most_bins) {
  const CentralPart part = central_part(sorted);
  check::not_negative("robust_histogram", "step", step);
  if (most_bins == 0) check::fail("robust_histogram", "a histogram needs a bin");
  const double width = freedman_diaconis_width(sorted);
  Histogram bins;
  // Steps far below the width are rounding errors of their own, not what bins must respect.
  if (step > 0.0 && part.high - part.low < 1e9 * step) {
    lay_bins_on_steps(bins, part, width, step, most_bins);
  } else if (part.high > part.low) {
    lay_bins(bins, part, width > 0.0 ? width : part.high - part.low, most_bins);
  } else {
    const double value = std::abs(part.low);
    bins.width = value > 0.0 ? kWidthOfConstant * value : 1.0;
    bins.low = part.low - 0.5 * bins.width;
  }
  const std::size_t count = bins_up_to(bins.low, bins.width, part.high);
  const auto first_from = [&](double edge) { return std::ranges::lower_bound(sorted, edge); };
  auto begin = first_from(bins.low);
  bins.below = static_cast<std::uint64_t>(begin - sorted.begin());
  bins.counts.reserve(count);
  for (std::size_t i = 1; i <= count; ++i) {
    const auto end = first_from(bins.low + static_cast<double>(i) * bins.width);
    bins.counts.push_back(static_cast<std::uint64_t>(end - begin));
    begin = end;
  }
  bins.above = static_cast<std::uint64_t>(sorted.end() - begin);
  return bins;
}

}  // namespace invar::stats
