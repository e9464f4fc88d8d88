#pragma once

#include <cstdint>
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

/// values[i] of time times[i], ascending; as many of one as of the other.
struct TimedSeries {
  std::span<const std::uint32_t> times;
  std::span<const double> values;
};

/// Do neighbours resemble each other, over all series together? Of every time the products of the
/// standardised neighbours that end there, averaged over the series (which may depend on each
/// other, as cells of one launch do), each plus 1 / (n - 1) for the mean that was taken off; then t
/// over the times. Neighbours are values of successive times: t and t + 1. `r`: their mean, an
/// estimate of the lag-1 autocorrelation. `p`: one-sided, of r <= 0.
struct SharedMemory {
  double r = 0.0;
  double p = 1.0;
};
/// Empty where fewer than three times are left; series of fewer than 3 values or constant ones do
/// not count. Throws std::invalid_argument where lengths differ.
std::optional<SharedMemory> shared_memory(std::span<const TimedSeries> series);

}  // namespace invar::stats
