#include "stats/series.hpp"

#include <algorithm>
#include <cstddef>

#include "stats/check.hpp"
#include "stats/moments.hpp"

namespace invar::stats {

std::optional<double> lag1_autocorrelation(std::span<const double> values) {
  check::sample("lag1_autocorrelation", values);
  if (values.size() < 3) {
    return std::nullopt;
  }
  const double centre = mean(values);
  double squares = 0.0;
  double products = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - centre) * (values[i] - centre);
    if (i > 0) {
      products += (values[i] - centre) * (values[i - 1] - centre);
    }
  }
  const auto [minimum, maximum] = std::minmax_element(values.begin(), values.end());
  if (*minimum == *maximum || !(squares > 0.0)) {
    return std::nullopt;
  }
  return products / squares;
}

double effective_sample_size(std::span<const double> values) {
  const double n = static_cast<double>(values.size());
  const std::optional<double> r = lag1_autocorrelation(values);
  if (!r) {
    return n;
  }
  return std::clamp(n * (1.0 - *r) / (1.0 + *r), 1.0, n);
}

}  // namespace invar::stats
