#include "stats/describe/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

#include "stats/check.hpp"

namespace invar::stats {
namespace {

double interpolate(double low, double high, double fraction) {
  // Equal neighbours must give exactly that value: the weights alone would round.
  return low == high ? low : (1.0 - fraction) * low + fraction * high;
}

double middle_of(double low, double high) { return low == high ? low : (low + high) / 2.0; }

struct Position {
  std::size_t index;
  double fraction;
};

Position position_of(std::size_t count, double probability) {
  const double h = static_cast<double>(count - 1) * probability;
  const double whole = std::floor(h);
  return {static_cast<std::size_t>(whole), h - whole};
}

struct MiddlePair {
  double low;
  double high;
};

/// The two middle values (the same one twice for an odd count); afterwards scratch is split around
/// them.
MiddlePair middle_pair(std::span<double> scratch) {
  const std::size_t half = scratch.size() / 2;
  const auto middle = scratch.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(scratch.begin(), middle, scratch.end());
  const double high = *middle;
  return {scratch.size() % 2 == 1 ? high : *std::max_element(scratch.begin(), middle), high};
}

std::vector<double> copy_of(std::span<const double> values) {
  return {values.begin(), values.end()};
}

}  // namespace

double quantile_in_place(std::span<double> scratch, double probability) {
  check::sample("quantile", scratch);
  check::closed_unit("quantile", "probability", probability);
  const Position at = position_of(scratch.size(), probability);
  const auto low = scratch.begin() + static_cast<std::ptrdiff_t>(at.index);
  std::nth_element(scratch.begin(), low, scratch.end());
  if (at.fraction == 0.0) {
    return *low;
  }
  return interpolate(*low, *std::min_element(std::next(low), scratch.end()), at.fraction);
}

double quantile(std::span<const double> values, double probability) {
  std::vector<double> scratch = copy_of(values);
  return quantile_in_place(scratch, probability);
}

double quantile_sorted(std::span<const double> sorted, double probability) {
  check::sample("quantile", sorted);
  check::closed_unit("quantile", "probability", probability);
  const Position at = position_of(sorted.size(), probability);
  if (at.fraction == 0.0) {
    return sorted[at.index];
  }
  return interpolate(sorted[at.index], sorted[at.index + 1], at.fraction);
}

double median_in_place(std::span<double> scratch) {
  check::sample("median", scratch);
  const MiddlePair pair = middle_pair(scratch);
  return middle_of(pair.low, pair.high);
}

double median(std::span<const double> values) {
  std::vector<double> scratch = copy_of(values);
  return median_in_place(scratch);
}

double grouped_median_in_place(std::span<double> scratch, double step) {
  check::sample("grouped_median", scratch);
  check::not_negative("grouped_median", "step", step);
  const MiddlePair pair = middle_pair(scratch);
  const double centre = middle_of(pair.low, pair.high);
  const double half_step = step / 2.0;
  if (step == 0.0 || pair.high - pair.low >= half_step) {
    return centre;
  }
  const double low_edge = centre - half_step;
  const double high_edge = centre + half_step;
  std::size_t below = 0;
  std::size_t inside = 0;
  for (const double value : scratch) {
    below += value < low_edge ? 1U : 0U;
    inside += value >= low_edge && value < high_edge ? 1U : 0U;
  }
  if (inside == 0) {
    return centre;  // the step is so small against the values that adding half of it changes
                    // nothing
  }
  const double share = (static_cast<double>(scratch.size()) / 2.0 - static_cast<double>(below)) /
                       static_cast<double>(inside);
  // Written around the centre, so that a share of one half gives the centre exactly.
  return centre + step * (share - 0.5);
}

double grouped_median(std::span<const double> values, double step) {
  std::vector<double> scratch = copy_of(values);
  return grouped_median_in_place(scratch, step);
}

}  // namespace invar::stats
