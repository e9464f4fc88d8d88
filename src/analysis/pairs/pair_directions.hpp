// Which direction of a pair is slower cannot be told below what the clocks of its ranks may be
// apart (docs/methods.md, "Pairs of ranks").
#pragma once

#include <span>

#include "analysis/pairs/pair_rates.hpp"
#include "analysis/pairs/pair_times.hpp"

namespace invar::analysis {

// Puts both directions of every pair together, as their mean, in each of these rows of matchings
// where the clocks may make a difference that matters and no pair's directions surely differ by
// more than they may: PairPlace::both_ways. Else directions stay apart, and what the clocks may do
// is in PairPlace::clocks_ns.
void join_directions(const store::Data& data, std::span<const PatternCells> rows,
                     MeasuredPairs& measured);

}  // namespace invar::analysis
