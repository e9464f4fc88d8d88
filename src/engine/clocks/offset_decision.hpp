// What the bounds of ping-pongs say of two CPUs' counters. MPI-free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "engine/timed/probes.hpp"

namespace invar::engine {

enum class Counters : std::uint8_t {
  kOne,      // every batch brackets 0: they read one counter, or counters that were set alike
  kShifted,  // they tick alike, but are apart
  kDiffer,   // batches contradict each other: they tick at different rates
};

struct CounterOffset {
  Counters counters = Counters::kOne;
  // local - remote: the middle of the bounds that all batches share; 0 for one counter.
  std::int64_t offset_ticks = 0;
  // By how much a difference of two readings may be wrong: the counter's step, beside half the
  // bounds' width where the offset is an estimate.
  std::int64_t uncertainty_ticks = 0;
  // What the bounds leave open all the same: two readings of one moment may be so far from each
  // other, and no ping-pong would show it. The counters of one board are most likely nearer.
  std::int64_t within_ticks = 0;
};

// `batches`: bounds of local - remote, each from a time of its own. `step_ticks`: by which both
// advance; bounds may miss each other by as much.
inline CounterOffset counter_offset(std::span<const OffsetBounds> batches,
                                    std::int64_t step_ticks) {
  const bool one = std::all_of(batches.begin(), batches.end(), [&](const OffsetBounds& bounds) {
    return bounds.low_ticks <= step_ticks && bounds.high_ticks >= -step_ticks;
  });
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  for (const OffsetBounds& bounds : batches) {
    low = std::max(low, bounds.low_ticks);
    high = std::min(high, bounds.high_ticks);
  }
  if (batches.empty()) return {.uncertainty_ticks = step_ticks, .within_ticks = step_ticks};
  if (one) {
    const std::int64_t farthest = std::max({high, -low, std::int64_t{0}});
    return {.uncertainty_ticks = step_ticks, .within_ticks = farthest + step_ticks};
  }
  if (low > high + step_ticks) return {.counters = Counters::kDiffer};
  // Bounds of two batches may pass each other within a step.
  const std::int64_t half = std::max<std::int64_t>(0, high - low) / 2;
  return {.counters = Counters::kShifted,
          .offset_ticks = low + (high - low) / 2,
          .uncertainty_ticks = half + step_ticks,
          .within_ticks = half + step_ticks};
}

// Any two readings of a host: the one counter is compared with every other one (`within_ticks` of
// each), and two of these with each other by way of it.
inline std::int64_t within_of_host(std::span<const CounterOffset> others, std::int64_t step_ticks) {
  std::int64_t farthest = step_ticks;
  std::int64_t next = 0;
  for (const CounterOffset& other : others) {
    next = std::max(next, std::min(farthest, other.within_ticks));
    farthest = std::max(farthest, other.within_ticks);
  }
  return others.size() > 1 ? farthest + next : farthest;
}

// By how much the remote counter is ahead of the local one.
inline std::int64_t ahead_ticks(const CounterOffset& offset) { return -offset.offset_ticks; }

// A reading of the remote counter as the local one shows that moment.
inline std::int64_t without_ahead(std::int64_t remote_ticks, std::int64_t ahead_ticks) {
  return remote_ticks - ahead_ticks;
}

// Bounds of local - remote from a later time, read without what the remote counter was ahead: the
// estimate is still as good as it was stated. A tenth of a ppm between two boards is no
// contradiction within half a second, and 30 us after five minutes.
inline bool offset_holds(const OffsetBounds& later, std::int64_t uncertainty_ticks,
                         std::int64_t step_ticks) {
  const std::int64_t most = uncertainty_ticks + step_ticks;
  return later.low_ticks <= most && later.high_ticks >= -most;
}

}  // namespace invar::engine
