#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Is a sample drawn from a normal distribution, and from how many values on are means so?
namespace invar::stats {

struct ShapiroWilk {
  double w = 0.0;  ///< in (0, 1]; 1: as straight in the Q-Q plot as can be
  double p = 0.0;  ///< of a normal sample having this W or less
};

/// Shapiro and Wilk's test by Royston's approximation (AS R94, Appl. Stat. 44, 1995), as R's
/// shapiro.test. Values need not be sorted. Empty for constant data, below 3 values and above 5000,
/// where the approximation was not fitted. Throws on an empty sample, NaN, infinity.
std::optional<ShapiroWilk> shapiro_wilk(std::span<const double> values);

/// `samples` means of `size` (>= 1) values each, drawn with replacement. A single seed, the same
/// means on every platform. Throws on an empty sample, NaN, infinity.
std::vector<double> sample_means(std::span<const double> values, std::size_t size,
                                 std::size_t samples, std::uint64_t seed);

/// Hunold and Carpen-Amarie 2016, section 4.1: `samples` (3 to 5000) means of `size` (>= 1) values
/// each, drawn as sample_means does from the observations of one launch, tested for normality.
/// Empty for constant observations.
std::optional<ShapiroWilk> normality_of_means(std::span<const double> values, std::size_t size,
                                              std::size_t samples, std::uint64_t seed);

}  // namespace invar::stats
