// Arrays of numbers that are drawn and not calculated with.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/json_writer.hpp"

namespace invar::report {

// To four significant digits of the distance between the least and the largest of them (of a
// constant: of its size), so that a picture of them is the same and the text short. What is not
// finite is null.
void write_numbers(base::JsonWriter& json, std::string_view key, std::span<const double> numbers);

// Like write_numbers, but no number has fewer than four significant digits of its own: a single
// interrupt that took milliseconds must not round the microseconds of all others.
void write_times(base::JsonWriter& json, std::string_view key, std::span<const double> times_ns);
void write_times(base::JsonWriter& json, std::string_view key,
                 std::span<const std::optional<double>> times_ns);

// Four significant digits of every one: densities, and shares of which small ones matter.
void write_relative_numbers(base::JsonWriter& json, std::string_view key,
                            std::span<const double> numbers);

// One of them.
double rounded_relative(double number);

}  // namespace invar::report
