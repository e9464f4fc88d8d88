#include "report/kit/page_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace invar::report {
namespace {

constexpr int kDigits = 4;

// 10^k by which numbers are multiplied to be whole ones; dividing by it gives the shortest text.
double scale_of(double size) { return std::pow(10.0, kDigits - 1 - std::floor(std::log10(size))); }

double scale_of(std::span<const double> numbers) {
  double least = INFINITY;
  double largest = -INFINITY;
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    least = std::min(least, number);
    largest = std::max(largest, number);
  }
  const double range = largest - least;
  if (range > 0 && std::isfinite(range)) return scale_of(range);
  const double size = std::abs(largest);
  return size > 0 && std::isfinite(size) ? scale_of(size) : 1;
}

double finer(double scale, double number) {
  const double size = std::abs(number);
  return size > 0 && std::isfinite(size) ? std::max(scale, scale_of(size)) : scale;
}

double scaled(double number, double scale) {
  const double value = std::round(number * scale) / scale;
  // Numbers too large or too small for the scale stay as they are; no "-0".
  if (!std::isfinite(value)) return number;
  return value == 0 ? 0 : value;
}

}  // namespace

double rounded_relative(double number) {
  const double size = std::abs(number);
  return size > 0 && std::isfinite(size) ? scaled(number, scale_of(size)) : number;
}

void write_numbers(base::JsonWriter& json, std::string_view key, std::span<const double> numbers) {
  const double scale = scale_of(numbers);
  json.key(key).begin_array();
  for (const double number : numbers) json.value(scaled(number, scale));
  json.end_array();
}

void write_times(base::JsonWriter& json, std::string_view key, std::span<const double> times_ns) {
  const double scale = scale_of(times_ns);
  json.key(key).begin_array();
  for (const double time_ns : times_ns) json.value(scaled(time_ns, finer(scale, time_ns)));
  json.end_array();
}

void write_times(base::JsonWriter& json, std::string_view key,
                 std::span<const std::optional<double>> times_ns) {
  std::vector<double> known;
  for (const std::optional<double>& time_ns : times_ns) {
    if (time_ns) known.push_back(*time_ns);
  }
  const double scale = scale_of(known);
  json.key(key).begin_array();
  for (const std::optional<double>& time_ns : times_ns) {
    if (time_ns) {
      json.value(scaled(*time_ns, finer(scale, *time_ns)));
    } else {
      json.null();
    }
  }
  json.end_array();
}

void write_relative_numbers(base::JsonWriter& json, std::string_view key,
                            std::span<const double> numbers) {
  json.key(key).begin_array();
  for (const double number : numbers) json.value(rounded_relative(number));
  json.end_array();
}

}  // namespace invar::report
