#include "stats/summary.hpp"

#include <algorithm>
#include <iterator>

#include "stats/moments.hpp"
#include "stats/quantile.hpp"

namespace invar::stats {

TukeyFences tukey_fences_in_place(std::span<double> scratch) {
  const double first = quantile_in_place(scratch, 0.25);
  const double third = quantile_in_place(scratch, 0.75);
  const double reach = 1.5 * (third - first);
  return {first - reach, third + reach};
}

TukeyFences tukey_fences(std::span<const double> values) {
  std::vector<double> scratch(values.begin(), values.end());
  return tukey_fences_in_place(scratch);
}

std::vector<double> tukey_filter(std::span<const double> values) {
  const TukeyFences fences = tukey_fences(values);
  std::vector<double> kept;
  kept.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [&](double value) { return value >= fences.low && value <= fences.high; });
  return kept;
}

Summary summarize_in_place(std::span<double> scratch) {
  Summary result;
  result.count = scratch.size();
  result.mean = mean(scratch);
  result.standard_deviation = standard_deviation(scratch);
  const auto [minimum, maximum] = std::minmax_element(scratch.begin(), scratch.end());
  result.minimum = *minimum;
  result.maximum = *maximum;
  result.first_quartile = quantile_in_place(scratch, 0.25);
  result.median = quantile_in_place(scratch, 0.5);
  result.third_quartile = quantile_in_place(scratch, 0.75);
  return result;
}

Summary summarize(std::span<const double> values) {
  std::vector<double> scratch(values.begin(), values.end());
  return summarize_in_place(scratch);
}

}  // namespace invar::stats
