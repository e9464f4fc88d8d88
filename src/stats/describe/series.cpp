#include "stats/describe/series.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "stats/check.hpp"
#include "stats/describe/moments.hpp"
#include "stats/test/student.hpp"

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

std::optional<SharedMemory> shared_memory(std::span<const TimedSeries> series) {
  std::map<std::uint32_t, std::pair<double, std::size_t>> products;  // sum and number, by time
  for (const TimedSeries& one : series) {
    if (one.times.size() != one.values.size()) {
      throw std::invalid_argument("shared_memory: a time for every value");
    }
    if (one.values.size() < 3) continue;
    const double n = static_cast<double>(one.values.size());
    const double centre = mean(one.values);
    double squares = 0.0;
    for (const double value : one.values) squares += (value - centre) * (value - centre);
    const double variance = squares / n;
    const auto [minimum, maximum] = std::minmax_element(one.values.begin(), one.values.end());
    if (*minimum == *maximum || !(variance > 0.0)) continue;
    for (std::size_t i = 1; i < one.values.size(); ++i) {
      if (one.times[i] != one.times[i - 1] + 1) continue;
      auto& [sum, number] = products[one.times[i]];
      sum += (one.values[i] - centre) * (one.values[i - 1] - centre) / variance + 1.0 / (n - 1.0);
      ++number;
    }
  }
  if (products.size() < 3) return std::nullopt;
  std::vector<double> means;
  means.reserve(products.size());
  for (const auto& [time, entry] : products) {
    means.push_back(entry.first / static_cast<double>(entry.second));
  }
  const auto test = t_test(means, {.alternative = Alternative::kGreater});
  if (!test) return std::nullopt;
  return SharedMemory{.r = test->estimate, .p = test->p};
}

}  // namespace invar::stats
