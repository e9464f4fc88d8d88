#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Where the level of a series changes.
namespace invar::stats {

/// A value of a series and how much it counts: 1 / variance, so that weighted squares are in units
/// of the noise.
struct WeightedValue {
  double value = 0.0;
  double weight = 1.0;  ///< > 0
};

/// Starts of the segments after the first one, ascending: the partition of the series into segments
/// of at least `shortest` (>= 1) values that makes sum over segments of (weighted squares around
/// the segment's weighted mean + penalty) least. PELT (Killick,
/// Fearnhead and Eckley, JASA 107, 2012): exact, linear on average where the number of changes
/// grows with the series, at worst quadratic (no change at all). penalty >= 0; with variances known
/// Schwarz's is 2 log n for a change of the mean, which adds a level and a place. Throws on an
/// empty series, NaN, infinity, weights that are not positive.
std::vector<std::size_t> changepoints(std::span<const WeightedValue> series, double penalty,
                                      std::size_t shortest = 1);

/// Values farther than k standard deviations (1 / sqrt(weight)) from `centre` are moved there:
/// squares of what is left are bounded, so that one wild value is never a segment of its own (the
/// bounded loss of Fearnhead and Rigaill, JASA 114, 2019, who take k = 3). k > 0.
void clip_series(std::span<WeightedValue> series, double centre, double k);

}  // namespace invar::stats
