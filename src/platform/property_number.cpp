#include "platform/property_number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/text.hpp"
#include "platform/platform_model.hpp"

namespace invar::platform {
namespace {

struct PropertyUnit {
  std::string_view name;
  double factor;
};

constexpr std::array<PropertyUnit, 9> kTimeUnits{{{"s", 1},
                                                  {"ms", 1e-3},
                                                  {"us", 1e-6},
                                                  {"ns", 1e-9},
                                                  {"ps", 1e-12},
                                                  {"m", 60},
                                                  {"h", 3600},
                                                  {"d", 86400},
                                                  {"w", 604800}}};

constexpr std::array<PropertyUnit, 17> kBandwidthPrefixes{{{"", 1},
                                                           {"k", 1e3},
                                                           {"M", 1e6},
                                                           {"G", 1e9},
                                                           {"T", 1e12},
                                                           {"P", 1e15},
                                                           {"E", 1e18},
                                                           {"Z", 1e21},
                                                           {"Y", 1e24},
                                                           {"Ki", 0x1p10},
                                                           {"Mi", 0x1p20},
                                                           {"Gi", 0x1p30},
                                                           {"Ti", 0x1p40},
                                                           {"Pi", 0x1p50},
                                                           {"Ei", 0x1p60},
                                                           {"Zi", 0x1p70},
                                                           {"Yi", 0x1p80}}};

std::string property_quoted(std::string_view text) {
  return "'" + base::without_controls(text) + "'";
}

template <std::size_t Count>
std::optional<double> unit_factor(const std::array<PropertyUnit, Count>& units,
                                  std::string_view name) {
  for (const PropertyUnit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

std::optional<double> bandwidth_factor(std::string_view unit) {
  constexpr double kBitsPerByte = 8;
  if (unit.empty()) return 1;
  if (!unit.ends_with("Bps") && !unit.ends_with("bps")) return std::nullopt;
  const bool bits = unit.ends_with("bps");
  unit.remove_suffix(3);
  const std::optional<double> prefix = unit_factor(kBandwidthPrefixes, unit);
  if (!prefix) return std::nullopt;
  return bits ? *prefix / kBitsPerByte : *prefix;
}

}  // namespace

std::optional<PropertyNumber> property_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  if (std::fpclassify(value) == FP_SUBNORMAL) return std::nullopt;
  return PropertyNumber{.value = value,
                        .unit = text.substr(static_cast<std::size_t>(end - text.data()))};
}

base::Parsed<std::uint64_t> property_whole(std::string_view text) {
  const std::optional<std::uint64_t> number = base::parse_u64(text);
  if (number && *number <= kMostBytes) return {.value = number, .error = {}};
  return {.value = std::nullopt,
          .error = property_quoted(text) + " is not a whole number below 2^31 in digits alone"};
}

base::Parsed<double> property_time_s(std::string_view text) {
  const std::optional<PropertyNumber> number = property_number(text);
  if (!number) return {.value = std::nullopt, .error = property_quoted(text) + " is not a number"};
  const std::optional<double> factor =
      number->unit.empty() ? std::optional<double>(1) : unit_factor(kTimeUnits, number->unit);
  if (!factor) {
    return {.value = std::nullopt,
            .error = property_quoted(text) + ": " + property_quoted(number->unit) +
                     " is not a unit of time"};
  }
  return {.value = number->value * *factor, .error = {}};
}

base::Parsed<double> property_bandwidth_bps(std::string_view text) {
  const std::optional<PropertyNumber> number = property_number(text);
  if (!number) return {.value = std::nullopt, .error = property_quoted(text) + " is not a number"};
  const std::optional<double> factor = bandwidth_factor(number->unit);
  if (!factor) {
    return {.value = std::nullopt,
            .error = property_quoted(text) + ": " + property_quoted(number->unit) +
                     " is not a unit of bandwidth"};
  }
  return {.value = number->value * *factor, .error = {}};
}

}  // namespace invar::platform
