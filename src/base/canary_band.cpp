#include "base/canary_band.hpp"

#include <charconv>
#include <cmath>

namespace invar::base {
namespace {

// Never with an exponent, which no duration has; a band ends before 1e13.
std::string shortest(double value) {
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr;
  return {digits, end};
}

// What stands in front of a band; the line's have nothing there, as ever.
constexpr std::string_view kAcrossPrefix = "across:";
constexpr std::string_view kChainPrefix = "chain:";

std::string_view prefix_of(CanaryKind kind) {
  switch (kind) {
    case CanaryKind::kAcross:
      return kAcrossPrefix;
    case CanaryKind::kChain:
      return kChainPrefix;
    case CanaryKind::kLine:
      break;
  }
  return {};
}

// Takes what stands in front.
CanaryKind take_kind(std::string_view& text) {
  for (const CanaryKind kind : {CanaryKind::kAcross, CanaryKind::kChain}) {
    const std::string_view prefix = prefix_of(kind);
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    return kind;
  }
  return CanaryKind::kLine;
}

}  // namespace

std::string_view canary_name(CanaryKind kind) {
  switch (kind) {
    case CanaryKind::kAcross:
      return "canary across sockets";
    case CanaryKind::kChain:
      return "chain";
    case CanaryKind::kLine:
      break;
  }
  return "canary";
}

std::string_view canary_subject(CanaryKind kind) {
  switch (kind) {
    case CanaryKind::kAcross:
      return "cache lines across sockets";
    case CanaryKind::kChain:
      return "the core's clock";
    case CanaryKind::kLine:
      break;
  }
  return "cache lines";
}

std::string band_ends_text(const CanaryBand& band) {
  return shortest(band.low_ns) + "ns:" + shortest(band.high_ns) + "ns";
}

std::string band_text(const CanaryBand& band) {
  return std::string(prefix_of(band.kind)) + band_ends_text(band);
}

Parsed<CanaryBand> parse_band(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return Parsed<CanaryBand>{.value = {},
                              .error = "'" + std::string(text) + "' is not a regime: " + why};
  };
  std::string_view ends = text;
  const CanaryKind kind = take_kind(ends);
  const std::size_t colon = ends.find(':');
  if (colon == std::string_view::npos) return refuse("two canaries stand around a colon");
  const auto low = parse_duration_s(ends.substr(0, colon));
  if (!low.value) return refuse(low.error);
  const auto high = parse_duration_s(ends.substr(colon + 1));
  if (!high.value) return refuse(high.error);
  // Decimal in, decimal out: 0.1 ps is far below any clock's step.
  const auto in_ns = [](double duration_s) { return std::round(duration_s * 1e13) / 1e4; };
  const CanaryBand band{.low_ns = in_ns(*low.value), .high_ns = in_ns(*high.value), .kind = kind};
  if (!(band.high_ns < 1e13)) return refuse("a canary takes microseconds");
  if (!(band.low_ns < band.high_ns)) return refuse("the first canary must be the shorter one");
  return {.value = band, .error = {}};
}

}  // namespace invar::base
