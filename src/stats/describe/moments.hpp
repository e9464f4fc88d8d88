#pragma once

#include <optional>
#include <span>

// Means and variances, and what a clock's step adds to them.
namespace invar::stats {

/// Arithmetic mean with a compensated sum (Neumaier 1974). Throws on an empty sample, NaN,
/// infinity.
double mean(std::span<const double> values);

/// Sample variance (divisor n - 1) around the mean, two passes. Empty for a single value. Throws as
/// mean().
std::optional<double> variance(std::span<const double> values);

/// Square root of variance().
std::optional<double> standard_deviation(std::span<const double> values);

/// Variance that rounding to a clock's step leaves in an average of effective_count values: step^2
/// / 12 / effective_count (rounding errors uniform over one step). step >= 0 in the unit of the
/// values, effective_count > 0.
double quantisation_variance(double step, double effective_count);

}  // namespace invar::stats
