// Batches: cells whose calls are too short for the clock are timed several calls at a time
// (docs/measuring.md, Batches).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "driver/decide/decision.hpp"
#include "record/plan.hpp"
#include "store/reader.hpp"

namespace invar::driver {

// From what the pilot group measured: a cell of which any arm's call (grouped median of the valid
// local times) is shorter than 20 steps of the clock is timed in batches, by all arms alike, so
// long that the fastest arm's batch lasts 20 steps: its calls follow one another there, and take
// less than single ones. A batch is a tenth longer, because no machine is steady. The cells of a
// family (of `planned`, the campaign's cells by their numbers) are compared with each other: one
// that is too short brings batches of as many calls to all of them. So it does to the other sizes
// of a curve (`curves`: their cells) on which more are chosen, because a batch and single calls
// have no line in common; but a long batch (of more than kFewCalls) of a call that takes long would
// cost too much: from there on calls are single ones, and across that border nothing is chosen.
// A batch of a suite that wants its batches longer than so many steps (record::Scheme::least_steps)
// has twice as many calls until it is, ten times at most.
record::Calls batches_needed(const store::Data& pilot, std::span<const record::Cell> planned,
                             std::span<const std::vector<std::uint32_t>> curves = {});

inline constexpr std::uint32_t kFewCalls = 4;
inline constexpr double kLongestBatchNs = 200e3;  // of more calls than these, for a curve's sake

// How much longer a group takes with these batches than the pilot did, in seconds, without what
// decisions did not choose.
double extra_seconds(const store::Data& pilot, const record::Calls& calls);

// "allreduce, 8 B, 2 ranks: 62 calls"
std::string batches_text(const record::Calls& calls, const std::vector<record::Cell>& cells);

// After the pilot group: which cells are timed in batches, and until every group to come is planned
// so, a plan that is.
Step decide_batches(const StudySoFar& so_far);

// Whether all visits of a planned group are timed in the batches that were decided, if some were.
bool follows_batches(const Prepared& prepared, const store::State& state, std::uint32_t group);

}  // namespace invar::driver
