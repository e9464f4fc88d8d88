#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/model/variance_analysis.hpp"

// What factors do together beyond the sum of their effects.
namespace invar::stats {

/// A level of every factor.
using FactorLevels = std::vector<std::uint32_t>;

struct Interactions {
  /// Sum of squared interaction effects / number of combinations: the same scale as
  /// BlocksAnova::level_variance. Unbiased, so it may be below 0.
  double variance = 0.0;
  double df = 0.0;  ///< combinations - parameters of the additive model
};

/// `values`: a row per block (launch group), in it a value per combination. Each block gets the
/// additive model of all factors by least squares; the residual r of a combination is its
/// interaction plus what chance leaves, so that
/// (sum over combinations of mean(r)^2 - var(r) / blocks) / combinations
/// is unbiased whatever combinations share in a block (the luck of a launch), and for any choice of
/// combinations: main effects have no part in r. Empty if the additive model leaves nothing over.
/// Throws std::invalid_argument on fewer than two blocks or combinations, blocks or combinations of
/// different size, NaN, infinity.
std::optional<Interactions> interaction_variance(std::span<const FactorLevels> combinations,
                                                 const BlockedValues& values);

}  // namespace invar::stats
