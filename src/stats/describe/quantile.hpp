#pragma once

#include <span>

// Quantiles and medians. The forms that end in _in_place reorder the given scratch memory, take
// linear time and no memory: they are for the hot path (10^7 observations). The others copy.
namespace invar::stats {

/// Quantile by linear interpolation at (n - 1) p: type 7 of Hyndman and Fan, Am. Stat. 50 (1996),
/// R's default. probability in [0, 1]. Throws on an empty sample, NaN, infinity.
double quantile(std::span<const double> values, double probability);
double quantile_in_place(std::span<double> scratch, double probability);
/// The same for values that are sorted already (not checked); constant time.
double quantile_sorted(std::span<const double> sorted, double probability);

/// The middle value, the mean of the two middle ones for an even count. Throws on an empty sample,
/// NaN, infinity.
double median(std::span<const double> values);
double median_in_place(std::span<double> scratch);

/// Standard deviation of normal values over their median absolute deviation.
inline constexpr double kSdOfMad = 1.4826;

/// Median of values that a clock with the given step (same unit as the values, >= 0) has rounded:
/// the ties at the median are spread evenly over one step, L + step (n/2 - F) / f with L the lower
/// edge of the median's step, F values below it and f in it. With 10 ns steps a plain median hides
/// 2 % at 200 ns; this one does not. Values within half a step of the median count as tied, so that
/// the rounding of a unit conversion does no harm. When exactly half of the values lie below a gap,
/// the middle of the gap. Step 0: the plain median. For times per call of a batch, pass step /
/// calls.
double grouped_median(std::span<const double> values, double step);
double grouped_median_in_place(std::span<double> scratch, double step);

}  // namespace invar::stats
