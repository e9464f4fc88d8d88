#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "base/random.hpp"
#include "stats/types.hpp"

// Bootstrap intervals for statistics without a formula (Efron and Tibshirani 1993, chapters 13 and
// 14).
namespace invar::stats {

/// Gets a resample in memory that it may reorder; must return a finite number for every resample.
using Statistic = std::function<double(std::span<double>)>;

struct BootstrapOptions {
  std::size_t replicates = 2000;  ///< at least 100, else std::invalid_argument
  double confidence = 0.95;       ///< in (0, 1)
};

/// Type 7 quantiles of the replicates. Empty for a single value. Same data, options and state of
/// random: same interval, on every platform. Throws on an empty sample, NaN, infinity, also from
/// the statistic.
std::optional<Interval> bootstrap_percentile(std::span<const double> values,
                                             const Statistic& statistic, base::Random& random,
                                             const BootstrapOptions& options = {});

/// Bias-corrected and accelerated (Efron 1987): corrects the median bias of the replicates (ties
/// with the estimate count one half) and the skewness, from the jackknife. Empty for a single
/// value, and if all replicates lie on one side of the estimate, where the correction does not
/// exist.
std::optional<Interval> bootstrap_bca(std::span<const double> values, const Statistic& statistic,
                                      base::Random& random, const BootstrapOptions& options = {});

}  // namespace invar::stats
