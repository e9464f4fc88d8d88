#pragma once

#include <optional>
#include <span>

// Values in their order of measurement.
namespace invar::stats {

/// Correlation of neighbours, sum (x_t - mean)(x_t+1 - mean) / sum (x_t - mean)^2, as R's acf.
/// Empty for fewer than 3 values and for constant data. Throws on an empty sample, NaN, infinity.
std::optional<double> lag1_autocorrelation(std::span<const double> values);

/// Number of independent values that would carry as much about the mean, for a first-order
/// autoregressive series: n (1 - r) / (1 + r), between 1 and n (negative correlation earns no
/// bonus). n where r does not exist.
double effective_sample_size(std::span<const double> values);

}  // namespace invar::stats
