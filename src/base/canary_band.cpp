#include "base/canary_band.hpp"

#include <charconv>
#include <cmath>

namespace invar::base {
namespace {

// Never with an exponent, which is no duration; a band ends before 1e13.
std::string shortest(double value) {
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr;
  return {digits, end};
}

}  // namespace

std::string band_text(const CanaryBand& band) {
  return shortest(band.low_ns) + "ns:" + shortest(band.high_ns) + "ns";
}

Parsed<CanaryBand> parse_band(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return Parsed<CanaryBand>{.value = {},
                              .error = "'" + std::string(text) + "' is no regime: " + why};
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return refuse("two canaries stand around a colon");
  const auto low = parse_duration_s(text.substr(0, colon));
  if (!low.value) return refuse(low.error);
  const auto high = parse_duration_s(text.substr(colon + 1));
  if (!high.value) return refuse(high.error);
  // Decimal in, decimal out: 0.1 ps is far below any clock's step.
  const auto in_ns = [](double duration_s) { return std::round(duration_s * 1e13) / 1e4; };
  const CanaryBand band{.low_ns = in_ns(*low.value), .high_ns = in_ns(*high.value)};
  if (!(band.high_ns < 1e13)) return refuse("a canary takes microseconds");
  if (!(band.low_ns < band.high_ns)) return refuse("the first canary must be the shorter one");
  return {.value = band, .error = {}};
}

}  // namespace invar::base
