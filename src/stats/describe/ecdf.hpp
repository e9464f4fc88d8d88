#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Distribution functions of samples, thinned to what a picture can show. Samples are sorted (not
// checked) and not empty.
namespace invar::stats {

struct ShareCurve {
  std::vector<double> at = {};     ///< values of the sample, ascending, each once
  std::vector<double> share = {};  ///< of the sample, exact there
};

/// Share of values <= at, at no more than `points` (>= 2) values from the least to the largest.
/// Between two neighbours it grows by less than 1 / (points - 1) more than at the right one itself.
ShareCurve thinned_ecdf(std::span<const double> sorted, std::size_t points);

/// Share of values > at: from one half down to a single value, at no more than `points` (>= 2)
/// values whose shares are equally spaced on a log scale. Without the largest value, beyond which
/// there is nothing; empty for constant samples.
ShareCurve upper_tail(std::span<const double> sorted, std::size_t points);

}  // namespace invar::stats
