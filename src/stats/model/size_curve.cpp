#include "stats/model/size_curve.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

namespace invar::stats {
namespace {

void check_order(std::span<const SizeTimes> curve, std::initializer_list<std::size_t> ascending) {
  std::optional<std::size_t> before;
  for (const std::size_t index : ascending) {
    if (index >= curve.size() || (before && *before >= index)) {
      throw std::invalid_argument("sizes of a curve: indices do not ascend inside of it");
    }
    before = index;
  }
}

// On the line through (a, at_a) and (b, at_b).
double on_line(double a, double at_a, double b, double at_b, double size) {
  return at_a + (at_b - at_a) * (size - a) / (b - a);
}

std::optional<double> time_of(const SizeTimes& size, std::size_t group) {
  const std::optional<double>& log_time = size.log_times.at(group);
  return log_time ? std::optional(std::exp(*log_time)) : std::nullopt;
}

// log of `over` / `under`; none where one of them is not a time.
std::optional<double> log_ratio(double over, double under) {
  if (!(over > 0 && under > 0)) return std::nullopt;
  return std::log(over / under);
}

// What one group's times at three sizes say; none where it lacks one of them, or where that is no
// time.
template <typename Of>
ByGroup by_group(const SizeTimes& a, const SizeTimes& b, const SizeTimes& c, Of of) {
  ByGroup all(a.log_times.size());
  for (std::size_t group = 0; group < all.size(); ++group) {
    const std::optional<double> at_a = time_of(a, group);
    const std::optional<double> at_b = time_of(b, group);
    const std::optional<double> at_c = time_of(c, group);
    if (at_a && at_b && at_c) all[group] = of(*at_a, *at_b, *at_c);
  }
  return all;
}

}  // namespace

std::vector<double> present(const ByGroup& values) {
  std::vector<double> some;
  for (const std::optional<double>& value : values) {
    if (value) some.push_back(*value);
  }
  return some;
}

ByGroup deviations_from_line(std::span<const SizeTimes> curve, std::size_t low, std::size_t middle,
                             std::size_t high) {
  check_order(curve, {low, middle, high});
  const SizeTimes& a = curve[low];
  const SizeTimes& b = curve[high];
  const double size = curve[middle].size;
  return by_group(a, curve[middle], b, [&](double at_a, double at, double at_b) {
    return log_ratio(at, on_line(a.size, at_a, b.size, at_b, size));
  });
}

ByGroup jumps_from_below(std::span<const SizeTimes> curve, std::size_t before, std::size_t low,
                         std::size_t high) {
  check_order(curve, {before, low, high});
  const SizeTimes& a = curve[before];
  const SizeTimes& b = curve[low];
  const double size = curve[high].size;
  return by_group(a, b, curve[high], [&](double at_a, double at_b, double at) {
    return log_ratio(at, on_line(a.size, at_a, b.size, at_b, size));
  });
}

ByGroup jumps_from_above(std::span<const SizeTimes> curve, std::size_t low, std::size_t high,
                         std::size_t behind) {
  check_order(curve, {low, high, behind});
  const SizeTimes& a = curve[high];
  const SizeTimes& b = curve[behind];
  const double size = curve[low].size;
  return by_group(curve[low], a, b, [&](double at, double at_a, double at_b) {
    return log_ratio(on_line(a.size, at_a, b.size, at_b, size), at);
  });
}

double agreed(double a, double b) {
  if (a > 0 && b > 0) return std::min(a, b);
  if (a < 0 && b < 0) return std::max(a, b);
  return 0.0;
}

std::optional<std::size_t> size_before(std::span<const SizeTimes> curve, std::size_t low,
                                       std::size_t high, double widths) {
  check_order(curve, {low, high});
  if (low == 0) return std::nullopt;
  const double length = widths * (curve[high].size - curve[low].size);
  std::size_t found = low - 1;
  for (std::size_t i = low; i > 0 && curve[i - 1].size >= curve[low].size / 2; --i) {
    found = i - 1;
    if (curve[low].size - curve[found].size >= length) break;
  }
  return found;
}

std::optional<std::size_t> size_behind(std::span<const SizeTimes> curve, std::size_t low,
                                       std::size_t high, double widths) {
  check_order(curve, {low, high});
  if (high + 1 >= curve.size()) return std::nullopt;
  const double length = widths * (curve[high].size - curve[low].size);
  std::size_t found = high + 1;
  for (std::size_t i = high + 1; i < curve.size() && curve[i].size <= 2 * curve[high].size; ++i) {
    found = i;
    if (curve[found].size - curve[high].size >= length) break;
  }
  return found;
}

}  // namespace invar::stats
