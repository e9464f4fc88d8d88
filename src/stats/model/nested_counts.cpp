#include "stats/model/nested_counts.hpp"

#include <algorithm>
#include <cmath>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

std::uint32_t count_of(const NestedLevel& inner, const NestedLevel& outer,
                       const CountBounds& bounds) {
  if (!(inner.variance > 0.0)) return bounds.least;
  if (!(outer.variance > 0.0) || !(inner.cost > 0.0)) return bounds.most;
  const double best = std::sqrt(outer.cost / inner.cost * inner.variance / outer.variance);
  return static_cast<std::uint32_t>(std::clamp(std::ceil(best), static_cast<double>(bounds.least),
                                               static_cast<double>(bounds.most)));
}

}  // namespace

std::vector<std::uint32_t> nested_counts(std::span<const NestedLevel> levels,
                                         std::span<const CountBounds> bounds) {
  if (levels.size() != bounds.size() + 1) {
    check::fail("nested_counts", "one more level than bounds is needed");
  }
  for (const NestedLevel& level : levels) {
    check::not_negative("nested_counts", "cost", level.cost);
    if (!std::isfinite(level.variance)) check::fail("nested_counts", "a variance is not finite");
  }
  for (const CountBounds& bound : bounds) {
    if (bound.least < 1 || bound.least > bound.most) {
      check::fail("nested_counts", "bounds must be ordered and at least 1");
    }
  }
  std::vector<std::uint32_t> counts;
  counts.reserve(bounds.size());
  NestedLevel inner = levels.front();
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const NestedLevel& outer = levels[i + 1];
    const std::uint32_t count = count_of(inner, outer, bounds[i]);
    counts.push_back(count);
    inner = {.cost = outer.cost + count * inner.cost,
             .variance = std::max(0.0, outer.variance) + std::max(0.0, inner.variance) / count};
  }
  return counts;
}

}  // namespace invar::stats
