// What a rank reads where clocks are compared and modelled: picoseconds, perhaps wrong on purpose.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

#include "clock/ticks.hpp"
#include "clock/virtual_clock.hpp"

namespace invar::engine {

// Picoseconds since `origin_ticks`, at a rate that is the same constant for all ranks (that they
// tick differently is what a model is for).
struct LinkClock {
  clock::Source source = clock::Source::kMonotonicRaw;
  std::int64_t origin_ticks = 0;
  double ps_per_tick = 1000;
  // By which this CPU's counter is ahead of its host's (ShiftedTscClock): ticks are without it.
  std::int64_t ahead_ticks = 0;
  std::function<std::int64_t()> other_ticks = {};  // of sources that are neither of the first two
  clock::VirtualClock virtual_clock = {};
  // Roughly the real picoseconds of one that the virtual clock shows: counters of other frequencies
  // differ by more than a model of skews is made for.
  double virtual_scale = 1;

  [[nodiscard]] std::int64_t real_ps() const {
    std::int64_t ticks = 0;
    switch (source) {
      case clock::Source::kTsc:
        ticks = clock::ShiftedTscClock{ahead_ticks}.now();
        break;
      case clock::Source::kMonotonicRaw:
        ticks = clock::monotonic_raw_ns();
        break;
      case clock::Source::kMpiWtime:
        ticks = other_ticks();
        break;
    }
    return real_ps_of(ticks);
  }
  // What the virtual clock shows: the ticks of a clock that measures.
  [[nodiscard]] std::int64_t virtual_ticks() const { return virtual_clock.at_ps(real_ps()); }
  [[nodiscard]] std::int64_t now_ps() const { return ps_of_virtual(virtual_ticks()); }

  // In extended precision, because offsets of days are no reason to lose picoseconds.
  [[nodiscard]] std::int64_t ps_of_virtual(std::int64_t ticks) const {
    if (virtual_scale == 1) return ticks;
    return std::llround(static_cast<long double>(ticks) * virtual_scale);
  }
  [[nodiscard]] std::int64_t virtual_of_ps(std::int64_t ps) const {
    if (virtual_scale == 1) return ps;
    return std::llround(static_cast<long double>(ps) / virtual_scale);
  }

  // The real time of ticks that were read before.
  [[nodiscard]] std::int64_t real_ps_of(std::int64_t ticks) const {
    return static_cast<std::int64_t>(static_cast<double>(ticks - origin_ticks) * ps_per_tick);
  }
  [[nodiscard]] std::int64_t ps_of(std::int64_t ticks) const {
    return virtual_clock.at_ps(real_ps_of(ticks));
  }
  // The inverse of real_ps_of().
  [[nodiscard]] std::int64_t ticks_of(std::int64_t ps) const {
    return origin_ticks + std::llround(static_cast<double>(ps) / ps_per_tick);
  }
};

// A clock to measure with: its ticks are the picoseconds that a link's virtual clock shows.
struct LinkTickClock {
  const LinkClock* link = nullptr;
  [[nodiscard]] std::int64_t now() const { return link->virtual_ticks(); }
};

}  // namespace invar::engine
