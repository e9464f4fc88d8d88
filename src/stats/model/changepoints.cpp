#include "stats/model/changepoints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

// Sums of weights, of weighted values and of their squares over a prefix.
struct Prefix {
  double weight = 0;
  double sum = 0;
  double squares = 0;
};

double cost(const Prefix& begin, const Prefix& end) {
  const double weight = end.weight - begin.weight;
  const double sum = end.sum - begin.sum;
  return std::max(0.0, end.squares - begin.squares - sum * sum / weight);
}

// Where the last segment may begin.
struct Candidate {
  std::size_t begin = 0;
  std::size_t until = 0;  // the last end for which it may be the best one
  double total = 0;
};

std::vector<Prefix> prefixes(std::span<const WeightedValue> series) {
  // Around a value of the series: differences of large sums would lose digits.
  const double origin = series[series.size() / 2].value;
  std::vector<Prefix> result(series.size() + 1);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double value = series[i].value - origin;
    const double weight = series[i].weight;
    result[i + 1] = {.weight = result[i].weight + weight,
                     .sum = result[i].sum + weight * value,
                     .squares = result[i].squares + weight * value * value};
  }
  return result;
}

void check_series(const char* function, std::span<const WeightedValue> series) {
  if (series.empty()) check::fail(function, "the series is empty");
  for (const WeightedValue& one : series) {
    if (!std::isfinite(one.value)) check::fail(function, "a value is NaN or infinite");
    check::positive(function, "weight", one.weight);
  }
}

}  // namespace

std::vector<std::size_t> changepoints(std::span<const WeightedValue> series, double penalty,
                                      std::size_t shortest) {
  check_series("changepoints", series);
  check::not_negative("changepoints", "penalty", penalty);
  if (shortest == 0) check::fail("changepoints", "a segment has at least one value");
  const std::size_t n = series.size();
  if (n < 2 * shortest) return {};
  const std::vector<Prefix> prefix = prefixes(series);
  // best[t]: least cost of the first t values, a penalty for every segment.
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> start(n + 1, 0);
  best[0] = -penalty;
  std::vector<Candidate> candidates;
  for (std::size_t end = shortest; end <= n; ++end) {
    candidates.push_back({.begin = end - shortest, .until = n});
    double least = std::numeric_limits<double>::infinity();
    for (Candidate& one : candidates) {
      one.total = best[one.begin] + cost(prefix[one.begin], prefix[end]);
      if (one.total < least) {
        least = one.total;
        start[end] = one.begin;
      }
    }
    best[end] = least + penalty;
    // What is worse than changing here stays so for all later ends, as soon as a segment that
    // begins here is long enough to take its place.
    for (Candidate& one : candidates) {
      if (one.total > best[end]) one.until = std::min(one.until, end + shortest - 1);
    }
    std::erase_if(candidates, [end](const Candidate& one) { return one.until <= end; });
  }
  std::vector<std::size_t> changes;
  for (std::size_t end = n; start[end] > 0; end = start[end]) changes.push_back(start[end]);
  std::reverse(changes.begin(), changes.end());
  return changes;
}

void clip_series(std::span<WeightedValue> series, double centre, double k) {
  check_series("clip_series", series);
  check::positive("clip_series", "k", k);
  for (WeightedValue& one : series) {
    const double reach = k / std::sqrt(one.weight);
    one.value = std::clamp(one.value, centre - reach, centre + reach);
  }
}

}  // namespace invar::stats
