#pragma once

#include <cstddef>
#include <span>
#include <vector>

// How many modes a distribution has: Hartigan's dip, and its extension to more than one mode.
namespace invar::stats {

/// Sorted values without ties: values that lie within half a step (same unit, >= 0) of each other
/// are spread evenly over one step, as if the clock had not rounded them; with step 0 over the
/// smallest distance of two different values. Rounding alone makes every step a mode; spread evenly
/// it makes none. Throws on an empty sample, NaN, infinity, a negative step.
std::vector<double> spread_ties(std::span<const double> values, double step);

/// Smallest number of modes, at least 1, of any distribution whose distribution function is nowhere
/// farther than `distance` (in [1 / (2 n), 1]) from that of the sample: modes of the taut string
/// through that tube, which has no more of them than any other function in it (Davies and Kovac,
/// Ann. Stat. 29, 2001). `sorted` without ties (spread_ties).
std::size_t modes_within(std::span<const double> sorted, double distance);

/// Hartigan's dip (Ann. Stat. 13, 1985): the smallest largest distance between the sample's
/// distribution function and one with a single mode, in [1 / (2 n), 1/4]. As R's diptest. `sorted`
/// without ties.
double dip(std::span<const double> sorted);

/// Quantile of the dip of n independent uniform values, the distribution with one mode that dips
/// most; by interpolation in a table of simulations. n >= 4, probability in [0.01, 0.999].
double dip_quantile(std::size_t n, double probability);

/// P(dip of n uniform values >= dip): Hartigan's test for more than one mode. At least 0.001 and at
/// most 0.99, where the table ends. n >= 4.
double dip_p(std::size_t n, double dip);

/// The number of modes that the sample proves at level alpha (in [0.001, 0.5]): modes_within its
/// dip's 1 - alpha quantile (Donoho's lower confidence bound, Ann. Stat. 16, 1988, with the dip's
/// distance in the place of Kolmogorov's). More than 1 exactly where Hartigan's test rejects a
/// single mode. 1 below four values. Values need not be sorted.
std::size_t count_modes(std::span<const double> values, double step, double alpha = 0.05);

}  // namespace invar::stats
