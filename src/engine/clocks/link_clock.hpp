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
  std::function<std::int64_t()> other_ticks = {};  // of sources that are neither of the first two
  clock::VirtualClock virtual_clock = {};

  [[nodiscard]] std::int64_t real_ps() const {
    std::int64_t ticks = 0;
    switch (source) {
      case clock::Source::kTsc:
        ticks = clock::tsc_ticks();
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
  [[nodiscard]] std::int64_t now_ps() const { return virtual_clock.at_ps(real_ps()); }

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

// A clock to measure with: its ticks are picoseconds of a link's clock.
struct LinkTickClock {
  const LinkClock* link = nullptr;
  [[nodiscard]] std::int64_t now() const { return link->now_ps(); }
};

}  // namespace invar::engine
