#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Mixtures of normal distributions in one dimension.
namespace invar::stats {

struct MixtureComponent {
  double share = 1.0;  ///< in (0, 1], all together 1
  double mean = 0.0;
  double sd = 0.0;  ///< at least the floor that was asked for

  bool operator==(const MixtureComponent&) const = default;
};

struct Mixture {
  std::vector<MixtureComponent> components = {};  ///< by mean
  double log_likelihood = 0.0;                    ///< of the values, natural logarithm
  double bic = 0.0;                               ///< smaller is better

  [[nodiscard]] double density(double x) const;
};

/// Maximum likelihood by expectation maximisation (Dempster, Laird and Rubin 1977) with
/// `components` (>= 1) normal distributions, from two fixed starts, of which the better end is
/// taken: shares of equal size, and clusters split at the largest gaps. No standard deviation below
/// `sd_floor` (> 0): without it a component that shrinks to one value has an infinite likelihood,
/// and every step of a clock is a component (give at least step / sqrt(12)). Values are binned to
/// 1/500 of their range or a quarter of the floor, whichever is coarser, but never more than a half
/// of the floor. The order of the values does not matter; after sorting, the cost is linear in the
/// bins that hold any. Throws on an empty sample, NaN, infinity, 0 components, a floor that is not
/// positive.
Mixture fit_mixture(std::span<const double> values, std::size_t components, double sd_floor);

/// The number of components, 1 to `most`, by Schwarz's criterion (Ann. Stat. 6, 1978):
/// -2 log L + (3 k - 1) log n is least. Components describe the shape, they are no clusters: a
/// skewed or heavy-tailed sample has several, with one mode (see valleys).
Mixture best_mixture(std::span<const double> values, std::size_t most, double sd_floor);

/// Where the density has a minimum between two modes that is lower than `depth` (in (0, 1)) of the
/// lower one of them, ascending: the modes of the mixture, not its components, are its clusters
/// (Hennig, Adv. Data Anal. Classif. 4, 2010). A shallower dent merges with its neighbour.
std::vector<double> valleys(const Mixture& mixture, double depth);

}  // namespace invar::stats
