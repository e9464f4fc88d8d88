// What a clock costs and resolves, and how fast it ticks. Never a default constant: a rate read
// from a table was 13 % wrong on a machine of ours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "clock/ticks.hpp"

namespace invar::clock {

// A reading of the clock and of CLOCK_MONOTONIC_RAW at the same moment: `raw_ns` lies between two
// reads of the clock, `ticks` is their middle, `width_ticks` their distance.
struct Bracket {
  std::int64_t ticks = 0;
  std::int64_t raw_ns = 0;
  std::int64_t width_ticks = 0;
};

// The narrowest of `tries` brackets.
template <typename Clock>
Bracket bracketed_read(Clock clock, int tries = 50) {
  Bracket best;
  for (int i = 0; i < tries; ++i) {
    const std::int64_t before = clock.now();
    const std::int64_t raw_ns = monotonic_raw_ns();
    const std::int64_t after = clock.now();
    if (i == 0 || after - before < best.width_ticks) {
      best = {before + (after - before) / 2, raw_ns, after - before};
    }
  }
  return best;
}

// Ticks per second from two brackets, with the half-width that the brackets' widths allow.
struct Rate {
  double ticks_per_s = 0;
  double half_width_per_s = 0;

  // `ticks` may be any difference of a launch; exact to below 1 ps up to hours.
  [[nodiscard]] std::int64_t to_ps(std::int64_t ticks) const;
};
// Throws std::invalid_argument if no time passed between the brackets.
Rate rate_between(const Bracket& first, const Bracket& last);

// A measured rate against what the processor says of itself (nominal_ticks_per_s()): empty, or what
// is odd. Nothing is corrected: the measured rate counts.
std::string rate_doubt(double ticks_per_s, double nominal_ticks_per_s);

// How the clock behaves: all in ticks.
struct Quality {
  double cost_ticks = 0;              // of a read: distance of two reads back to back
  double step_ticks = 1;              // by which readings advance (25.96 for 10 ns at 2596 MHz)
  std::int64_t resolution_ticks = 0;  // smallest distance above 0
  bool monotonic = true;              // no read was below the one before
};

// `back_to_back`: reads with nothing between them; `spread`: with varying distances.
Quality quality_of(const std::vector<std::int64_t>& back_to_back,
                   const std::vector<std::int64_t>& spread);

// From `count` reads with work of varying length between them, so that the steps show.
template <typename Clock>
Quality measure_quality(Clock clock, std::size_t count = 4000) {
  std::vector<std::int64_t> back_to_back(count / 4);
  for (std::int64_t& read : back_to_back) read = clock.now();
  std::vector<std::int64_t> spread(count);
  volatile std::uint32_t sink = 1;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t work = i * 7 % 61; work > 0; --work) sink = sink * 3U;
    spread[i] = clock.now();
  }
  return quality_of(back_to_back, spread);
}

}  // namespace invar::clock
