// Numbers with units, as people write them: "64KiB", "2%", "1.5us".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace invar::base {

constexpr double kPsPerS = 1e12;

// A value, or why the text is none ("'8x' is not a size: unknown unit 'x'").
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

// Bytes: "0", "8", "8B", "1KiB", "64MiB", "2GiB", "1kB" (1000), "1.5KiB" if that is a whole number
// of bytes. Refused: signs, exponents, fractions of a byte, a unit that is none.
Parsed<std::uint64_t> parse_size_bytes(std::string_view text);

// Seconds: "150s", "2m", "1h", "20ms", "1.5us", "100ns"; "0s". A number without a unit is refused.
Parsed<double> parse_duration_s(std::string_view text);

// "2%" is 0.02. A number without the sign is refused, because 2 and 0.02 are both plausible.
Parsed<double> parse_percent(std::string_view text);

// A whole count: "60". "1e3", "3.9", "8x" and "-1" are refused with the reason.
Parsed<std::uint64_t> parse_count(std::string_view text);

// "8 B", "1 KiB", "1.5 KiB", "64 MiB": exact where it can be in one decimal, else in bytes.
std::string size_text(std::uint64_t size_bytes);

// An estimate of bytes, at least 0, with three significant digits: "700 B", "49.3 KiB", "6.00 MiB".
std::string capacity_text(double bytes);

// A time with three significant digits and a fitting unit: "0.514 us", "8.43 us", "222 us", "1.20
// s".
std::string duration_text(double duration_ns);

// A span of time for people: "17 s", "2 min 30 s", "1 h 5 min".
std::string span_text(double duration_s);

}  // namespace invar::base
