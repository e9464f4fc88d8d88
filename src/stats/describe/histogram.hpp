#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Histograms of samples with long tails. Samples are sorted (not checked), not empty, in any unit.
namespace invar::stats {

/// Where the bulk of a sample lies: from min(2.5 % quantile, Q1 - 3 IQR) to max(97.5 % quantile,
/// Q3 + 3 IQR), the quantiles a tenth of their distance farther out, and within the sample: at
/// least 95 % of it, whatever its tail.
struct CentralPart {
  double low = 0.0;
  double high = 0.0;
};
CentralPart central_part(std::span<const double> sorted);

/// 2 IQR n^(-1/3) (Freedman and Diaconis 1981), type 7 quartiles; 0 where the quartiles are equal.
double freedman_diaconis_width(std::span<const double> sorted);

struct Histogram {
  double low = 0.0;  ///< bin i holds [low + i width, low + (i + 1) width)
  double width = 0.0;
  std::vector<std::uint64_t> counts = {};
  std::uint64_t below = 0;  ///< the first bin
  std::uint64_t above = 0;  ///< the last one
};

/// Shows the central part in bins of Freedman and Diaconis' width, or wider ones where that would
/// make more than `most_bins` (>= 1). `step` (same unit, >= 0; 0: none) is that of the clock that
/// rounded the values: widths are multiples of it and edges lie between its marks, so that the bins
/// show the sample and not the clock.
Histogram robust_histogram(std::span<const double> sorted, double step, std::size_t most_bins);

}  // namespace invar::stats
