#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// How many repetitions are enough: quantities of the first n values of a series, and the first n at
// which they are small (Hunold, Carpen-Amarie, Lübbe and Träff 2016, section IV.B; the interval of
// the median is ours). docs/methods.md, "How many repetitions".
namespace invar::stats {

/// What is looked at; indices of RunningValues.
enum class RunningQuantity : std::size_t {
  kRse,        ///< relative standard error of the mean: s / sqrt(n) / mean
  kCovMean,    ///< coefficient of variation (s / mean) of the last w running means
  kCovMedian,  ///< the same of the last w running medians
  kHalfWidth,  ///< half the width of the median's interval, over the median
};
constexpr std::size_t kRunningQuantities = 4;

/// By RunningQuantity. Empty: of so few values it does not exist, or a mean or median is not above
/// 0; of limits: it is not asked for.
using RunningValues = std::array<std::optional<double>, kRunningQuantities>;

struct RunningOptions {
  std::size_t mean_window = 20;    ///< running means that COV is taken of, at least 2
  std::size_t median_window = 20;  ///< running medians, likewise
  double step = 0.0;               ///< of the clock, in the unit of the values, >= 0
  double confidence = 0.95;        ///< of the median's interval
};

/// The first n values.
struct RunningRow {
  std::size_t n = 0;
  double mean = 0.0;
  double median = 0.0;
  RunningValues values = {};
  /// All running medians of the window are one value: their COV is 0 and says nothing, as of times
  /// that a clock has rounded to its step.
  bool medians_equal = false;
};

/// A row for every number in `at` (ascending, from 1) that the series has. Linear in time but for
/// the sorted copy, into which values are put one by one. Throws std::invalid_argument on NaN,
/// infinity, a window below 2, and as median_interval_sorted().
std::vector<RunningRow> running_rows(std::span<const double> values,
                                     std::span<const std::size_t> at,
                                     const RunningOptions& options);

/// Whether all quantities that have a limit exist and are below it.
bool all_below(const RunningValues& values, const RunningValues& limits);

/// n of the first row at which all that have a limit are below it at once. Empty: there is none.
/// Throws std::invalid_argument where nothing has a limit.
std::optional<std::size_t> repetitions_needed(std::span<const RunningRow> rows,
                                              const RunningValues& limits);

}  // namespace invar::stats
