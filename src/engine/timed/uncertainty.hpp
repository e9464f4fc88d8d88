// How uncertain a visit's global times are; whether that is too much is the analysis's question,
// for all arms of a cell at once. MPI-free.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

namespace invar::engine {

// How far `domains` clocks of the same error are apart on average, in standard deviations of one:
// the expected range of so many independent normal errors, the integral of 1 - F^n - (1 - F)^n
// (Tippett 1925). 0 for one, 1.13 for 2, 2.85 for 8, 6.48 for 1000. `domains`: 1 to 10^9.
inline double expected_range_sigmas(std::size_t domains) {
  if (domains <= 1) return 0;
  constexpr double kFar = 9;  // nothing of 10^9 is beyond
  constexpr int kSteps = 1800;
  constexpr double kStep = 2 * kFar / kSteps;
  const auto n = static_cast<double>(domains);
  double sum = 0;
  // Both ends are 0, and so are all derivatives there: the trapezium is exact to many digits.
  for (int i = 1; i < kSteps; ++i) {
    const double x = -kFar + i * kStep;
    const double below = std::erfc(-x / std::numbers::sqrt2) / 2;
    const double above = std::erfc(x / std::numbers::sqrt2) / 2;
    const double none_above = std::exp(n * std::log1p(-std::min(above, 1 - 1e-16)));
    const double none_below = std::exp(n * std::log1p(-std::min(below, 1 - 1e-16)));
    sum += 1 - none_above - none_below;
  }
  return sum * kStep;
}

// In standard deviations of one clock domain's reading: by how much a difference between the latest
// and the earliest of their readings may be wrong. None where all read one clock. A difference of
// two readings is within 2 sqrt(2) of them in 95 of 100 cases; the more domains there are, the
// further the first and the last one's errors are apart.
inline double uncertainty_sigmas(std::size_t domains) {
  if (domains <= 1) return 0;
  return std::max(2 * std::numbers::sqrt2, expected_range_sigmas(domains));
}

// As a record has them; what is too much for it is the most that it can hold.
inline std::uint32_t saturated_ps(double ps) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!(ps < static_cast<double>(kMost))) return kMost;
  return ps <= 0 ? 0 : static_cast<std::uint32_t>(std::llround(ps));
}

}  // namespace invar::engine
