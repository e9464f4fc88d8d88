#include "stats/describe/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "stats/check.hpp"

namespace invar::stats {

Ranks midranks(std::span<const double> values) {
  check::sample("midranks", values);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks result;
  result.rank.resize(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) {
      ++end;
    }
    const double shared = (static_cast<double>(first + 1) + static_cast<double>(end)) / 2.0;
    for (std::size_t i = first; i < end; ++i) {
      result.rank[order[i]] = shared;
    }
    const double tied = static_cast<double>(end - first);
    result.tie_term += tied * tied * tied - tied;
    first = end;
  }
  return result;
}

}  // namespace invar::stats
