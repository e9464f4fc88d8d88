#include "base/units.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/text.hpp"

namespace invar::base {
namespace {

// A number of units times `factor` over `divisor`. Small units divide: 7 / 100 is the double
// nearest to 0.07, 7 * 0.01 is not.
struct Unit {
  std::string_view name;
  double factor = 1;
  double divisor = 1;
};

struct NumberAndUnit {
  std::string_view number;
  std::string_view unit;
};

NumberAndUnit separate(std::string_view text) {
  std::size_t end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos) end = text.size();
  return {text.substr(0, end), trim(text.substr(end))};
}

std::string refused(std::string_view text, std::string_view what, std::string_view why) {
  return "'" + std::string(text) + "' is not a " + std::string(what) + ": " + std::string(why);
}

// "did you mean KiB (1024 bytes)?" for K, k, KB, kb, kib and their larger sisters, which mean 1000
// to some and 1024 to others.
std::string meant_unit(std::string_view unit, std::string_view what) {
  if (what != "size") return "";
  std::string letters;
  for (const char c : unit) letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  std::uint64_t bytes = 1;
  for (const char* prefix : {"k", "m", "g", "t"}) {
    bytes *= 1024;
    if (letters != prefix && letters != prefix + std::string("b") &&
        letters != prefix + std::string("ib")) {
      continue;
    }
    const char letter = static_cast<char>(prefix[0] - 'a' + 'A');
    return std::string("did you mean ") + letter + "iB (" + std::to_string(bytes) + " bytes)?";
  }
  return "";
}

template <std::size_t N>
Parsed<double> parse_with_unit(std::string_view text, std::string_view what,
                               const std::array<Unit, N>& units, std::string_view example) {
  const auto [number, unit] = separate(trim(text));
  if (number.empty()) {
    const bool negative = trim(text).starts_with('-');
    return {{},
            refused(text, what,
                    negative ? std::string("it is negative")
                             : "write a number first, as in " + std::string(example))};
  }
  const std::optional<double> value = parse_double(number);
  if (!value) return {{}, refused(text, what, "'" + std::string(number) + "' is not a number")};
  for (const Unit& known : units) {
    if (known.name == unit) return {*value * known.factor / known.divisor, {}};
  }
  std::string names;
  for (const Unit& known : units) {
    if (known.name.empty()) continue;
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  if (const std::string meant = meant_unit(unit, what); !meant.empty()) {
    return {{}, refused(text, what, "unknown unit '" + std::string(unit) + "'; " + meant)};
  }
  std::string why =
      unit.empty() ? "the unit is missing" : "unknown unit '" + std::string(unit) + "'";
  why += " (units: " + names + ")";
  if (unit.empty() && what == "time") why += "; did you mean " + std::string(number) + "s?";
  return {{}, refused(text, what, why)};
}

constexpr std::array<Unit, 9> kSizes{{{"", 1},
                                      {"B", 1},
                                      {"KiB", 1024.0},
                                      {"MiB", 1024.0 * 1024},
                                      {"GiB", 1024.0 * 1024 * 1024},
                                      {"TiB", 1024.0 * 1024 * 1024 * 1024},
                                      {"kB", 1e3},
                                      {"MB", 1e6},
                                      {"GB", 1e9}}};
constexpr std::array<Unit, 6> kDurations{
    {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3}, {"s", 1}, {"m", 60}, {"h", 3600}}};

}  // namespace

Parsed<std::uint64_t> parse_size_bytes(std::string_view text) {
  const Parsed<double> bytes = parse_with_unit(text, "size", kSizes, "8, 1KiB or 64MiB");
  if (!bytes.value) return {{}, bytes.error};
  if (*bytes.value >= 0x1p53) return {{}, refused(text, "size", "it is too large")};
  // 1.001 kB is 1000.9999999999999 in binary and yet a whole number of bytes.
  const double whole = std::round(*bytes.value);
  if (std::abs(*bytes.value - whole) > whole * 0x1p-51) {
    return {{}, refused(text, "size", "it is not a whole number of bytes")};
  }
  return {static_cast<std::uint64_t>(whole), {}};
}

Parsed<double> parse_duration_s(std::string_view text) {
  return parse_with_unit(text, "time", kDurations, "150s, 2m or 1.5us");
}

Parsed<double> parse_percent(std::string_view text) {
  constexpr std::array<Unit, 1> kPercent{{{"%", 1, 100}}};
  return parse_with_unit(text, "percentage", kPercent, "2%");
}

Parsed<std::uint64_t> parse_count(std::string_view text) {
  if (const auto value = parse_u64(trim(text))) return {value, {}};
  return {{}, refused(text, "count", "write a whole number, as in 60")};
}

std::string size_text(std::uint64_t size_bytes) {
  static constexpr std::array<const char*, 4> kNames{"KiB", "MiB", "GiB", "TiB"};
  std::uint64_t unit_bytes = 1;
  const char* name = "B";
  for (std::size_t i = 0; i < kNames.size() && size_bytes / unit_bytes >= 1024; ++i) {
    unit_bytes *= 1024;
    name = kNames[i];
  }
  // In whole numbers: floating point takes large sizes for their neighbours.
  const std::uint64_t tenths = size_bytes % unit_bytes * 10;
  if (tenths % unit_bytes != 0) return std::to_string(size_bytes) + " B";
  std::string text = std::to_string(size_bytes / unit_bytes);
  if (tenths != 0) text += '.' + std::to_string(tenths / unit_bytes);
  return text + ' ' + name;
}

std::string capacity_text(double bytes) {
  static constexpr std::array<const char*, 5> kNames{"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  constexpr double kFourDigits = 999.5;  // rounded to three these would be 1000
  std::size_t unit = 0;
  while (unit + 1 < kNames.size() && bytes >= kFourDigits) {
    bytes /= kStep;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f %s", decimals, bytes, kNames.at(unit));
  return buffer.data();
}

std::string duration_text(double duration_ns) {
  // Below 10 ns and from 1 ms on the microsecond, the field's usual unit, reads badly.
  double value = duration_ns / 1e3;
  const char* unit = "us";
  const double magnitude = std::abs(duration_ns);
  if (magnitude < 10) {
    value = duration_ns;
    unit = "ns";
  } else if (magnitude >= 999.5e6) {
    value = duration_ns / 1e9;
    unit = "s";
  } else if (magnitude >= 999.5e3) {
    value = duration_ns / 1e6;
    unit = "ms";
  }
  const double shown = std::abs(value);
  // The bounds are where rounding adds a digit.
  int decimals = shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : shown < 0.9995 ? 3 : 2;
  if (shown == 0) decimals = 0;
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f %s", decimals, value, unit);
  return buffer.data();
}

std::string span_text(double duration_s) {
  std::array<char, 64> buffer{};
  if (duration_s < 9.95) {
    std::snprintf(buffer.data(), buffer.size(), "%.1f s", duration_s);
    return buffer.data();
  }
  const auto seconds = static_cast<std::int64_t>(std::llround(duration_s));
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) {
    return std::to_string(seconds / 60) + " min" +
           (seconds % 60 == 0 ? "" : " " + std::to_string(seconds % 60) + " s");
  }
  const std::int64_t minutes = (seconds + 30) / 60;
  return std::to_string(minutes / 60) + " h" +
         (minutes % 60 == 0 ? "" : " " + std::to_string(minutes % 60) + " min");
}

}  // namespace invar::base
