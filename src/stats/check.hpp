#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

// Guards that the functions of this folder share: what they refuse, they refuse with
// std::invalid_argument and their name.
namespace invar::stats::check {

[[noreturn]] inline void fail(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

inline void finite(const char* function, std::span<const double> values) {
  // One pass without branches per element: x - x is 0 for finite numbers, NaN otherwise, and NaN
  // stays.
  double sum = 0.0;
  for (const double value : values) {
    sum += value - value;
  }
  if (sum != 0.0) {
    fail(function, "the sample contains NaN or infinite values");
  }
}

/// Not empty, and all values finite.
inline void sample(const char* function, std::span<const double> values) {
  if (values.empty()) {
    fail(function, "the sample is empty");
  }
  finite(function, values);
}

/// alpha, confidence: strictly between 0 and 1 (NaN fails as well).
inline void open_unit(const char* function, const char* name, double value) {
  if (!(value > 0.0 && value < 1.0)) {
    fail(function,
         std::string(name) + " must lie between 0 and 1, but is " + std::to_string(value));
  }
}

/// p-values, quantile levels: 0 and 1 included.
inline void closed_unit(const char* function, const char* name, double value) {
  if (!(value >= 0.0 && value <= 1.0)) {
    fail(function, std::string(name) + " must lie in [0, 1], but is " + std::to_string(value));
  }
}

inline void not_negative(const char* function, const char* name, double value) {
  if (!(value >= 0.0 && std::isfinite(value))) {
    fail(function,
         std::string(name) + " must be finite and at least 0, but is " + std::to_string(value));
  }
}

inline void positive(const char* function, const char* name, double value) {
  if (!(value > 0.0 && std::isfinite(value))) {
    fail(function,
         std::string(name) + " must be finite and above 0, but is " + std::to_string(value));
  }
}

}  // namespace invar::stats::check
