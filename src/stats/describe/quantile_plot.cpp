#include "stats/describe/quantile_plot.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/normal.hpp"

namespace invar::stats {

std::optional<QuantilePlot> normal_quantile_plot(std::span<const double> values,
                                                 std::size_t points) {
  check::finite("normal_quantile_plot", values);
  if (points < 2) check::fail("normal_quantile_plot", "it needs two points");
  if (values.size() < 2) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  const double shift = n <= 10 ? 0.375 : 0.5;
  const std::size_t count = std::min(points, n);
  QuantilePlot plot;
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(
        std::llround(static_cast<double>(i * (n - 1)) / static_cast<double>(count - 1)));
    const double probability =
        (static_cast<double>(index) + 1.0 - shift) / (static_cast<double>(n) + 1.0 - 2.0 * shift);
    plot.normal.push_back(normal_quantile(probability));
    plot.values.push_back(sorted[index]);
  }
  const double quartile = normal_quantile(0.75);
  const double low = quantile_sorted(sorted, 0.25);
  const double high = quantile_sorted(sorted, 0.75);
  plot.slope = (high - low) / (2.0 * quartile);
  plot.intercept = low + plot.slope * quartile;
  return plot;
}

}  // namespace invar::stats
