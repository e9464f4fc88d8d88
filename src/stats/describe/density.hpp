#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// Kernel densities. Samples are sorted (not checked), not empty, in any unit.
namespace invar::stats {

/// Silverman's rule (Density Estimation, 1986, equation 3.31): 0.9 min(sd, IQR / 1.34) n^(-1/5), as
/// R's bw.nrd0; the other one where sd or IQR is 0. Empty for constant values.
std::optional<double> silverman_bandwidth(std::span<const double> sorted);

/// Sheather and Jones' bandwidth, solving their equation (J. R. Stat. Soc. B 53, 1991), as R's
/// bw.SJ: it sees modes that a rule for normal data smooths away. Distances are counted between
/// `bins` (>= 2) equal bins, so that the cost is linear in the sample. Empty where the equation has
/// no solution (few values, many ties) and for constant values.
std::optional<double> sheather_jones_bandwidth(std::span<const double> sorted,
                                               std::size_t bins = 1000);

struct Density {
  std::vector<double> at = {};
  std::vector<double> density = {};  ///< 1 / unit of the sample
};

/// The mean of normal densities with standard deviation `bandwidth` (> 0) around each value, at
/// `points` (>= 2) equally spaced places from `low` to `high` (> low). Values count in bins of
/// bandwidth / 16, each shared by its two neighbours: right to a thousandth of the largest density.
Density kernel_density(std::span<const double> sorted, double low, double high, std::size_t points,
                       double bandwidth);

}  // namespace invar::stats
