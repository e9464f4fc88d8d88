#include "stats/describe/summary.hpp"

#include <algorithm>
#include <iterator>

#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

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

TukeyBox tukey_box(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  TukeyBox box{.first_quartile = quantile(sorted, 0.25),
               .median = quantile(sorted, 0.5),
               .third_quartile = quantile(sorted, 0.75)};
  std::sort(sorted.begin(), sorted.end());
  const double reach = 1.5 * (box.third_quartile - box.first_quartile);
  // An interpolated quartile may lie outside of the values that are inside the fences: no whisker.
  box.low =
      std::min(*std::ranges::lower_bound(sorted, box.first_quartile - reach), box.first_quartile);
  box.high = std::max(*std::prev(std::ranges::upper_bound(sorted, box.third_quartile + reach)),
                      box.third_quartile);
  return box;
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
