#include "stats/describe/ecdf.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"

namespace invar::stats {

ShareCurve thinned_ecdf(std::span<const double> sorted, std::size_t points) {
  check::sample("thinned_ecdf", sorted);
  if (points < 2) check::fail("thinned_ecdf", "it needs two points");
  const auto n = static_cast<double>(sorted.size());
  ShareCurve curve;
  for (std::size_t i = 0; i < points; ++i) {
    const auto index = static_cast<std::size_t>(
        std::llround(static_cast<double>(i) / static_cast<double>(points - 1) * (n - 1.0)));
    const double value = sorted[index];
    if (!curve.at.empty() && curve.at.back() == value) continue;
    const auto end = std::ranges::upper_bound(sorted, value);
    curve.at.push_back(value);
    curve.share.push_back(static_cast<double>(end - sorted.begin()) / n);
  }
  return curve;
}

ShareCurve upper_tail(std::span<const double> sorted, std::size_t points) {
  check::sample("upper_tail", sorted);
  if (points < 2) check::fail("upper_tail", "it needs two points");
  const auto n = static_cast<double>(sorted.size());
  const double most = std::floor(n / 2.0);
  ShareCurve curve;
  for (std::size_t i = 0; i < points && most >= 1.0; ++i) {
    const double left = static_cast<double>(points - 1 - i) / static_cast<double>(points - 1);
    const auto beyond = static_cast<std::size_t>(std::llround(std::pow(most, left)));
    const double value = sorted[sorted.size() - 1 - beyond];
    if (!curve.at.empty() && curve.at.back() == value) continue;
    const auto count = sorted.end() - std::ranges::upper_bound(sorted, value);
    if (count == 0) break;
    curve.at.push_back(value);
    curve.share.push_back(static_cast<double>(count) / n);
  }
  return curve;
}

}  // namespace invar::stats
