#pragma once

#include <cstdint>
#include <span>
#include <vector>

// How often to repeat what, in an experiment of nested levels: repetitions in visits in launches.
namespace invar::stats {

/// One level of repetition, the lowest first.
struct NestedLevel {
  double cost = 0.0;      ///< of one more unit of this level, without what is inside it; >= 0
  double variance = 0.0;  ///< component that belongs to this level alone; below 0 counts as 0
};

/// Bounds of the number of units of a level inside one of the next, 1 <= least <= most.
struct CountBounds {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
};

/// Numbers of units of each level inside one of the next, lowest first, that give the smallest
/// variance of the overall mean for the time spent: r_i = sqrt(c_i+1 / c_i x T_i^2 / T_i+1^2)
/// rounded up (Kalibera and Jones, ISMM 2013), within the bounds. Where a bound holds, the
/// levels above take it into account: the level's cost and variance, as they are with the bounded
/// number, are those of one unit of the next. The number of the highest level follows from the
/// precision asked for and is not here. One more level than bounds; a level without variance needs
/// no repetition, one above which there is no variance as much as is allowed. Throws
/// std::invalid_argument on other arguments.
std::vector<std::uint32_t> nested_counts(std::span<const NestedLevel> levels,
                                         std::span<const CountBounds> bounds);

}  // namespace invar::stats
