// A delay that is planted into a call to see if it is found: a chain of multiplications, each of
// which needs the result of the one before. No clock is read and no memory touched: the costs of
// clock reads would be a part of the delay.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "clock/ticks.hpp"
#include "ops/overlap/kernels.hpp"

namespace invar::engine {

// Nothing between the call and the clock.
struct NoDelay {
  void operator()() const {}
};

// So many dependent multiplications.
struct DelayChain {
  std::uint64_t steps = 0;

  void operator()() const { ops::run_chain(steps); }
};

// How long a step takes on this core, at the frequency of this launch.
struct DelayRate {
  double step_ps = 0;
  // What 20 chains of 1000 steps take, against one of 20000: chains are as short as planted ones.
  double check = 1;

  [[nodiscard]] std::uint64_t steps(std::uint64_t delay_ns) const {
    return step_ps > 0 ? static_cast<std::uint64_t>(
                             std::llround(static_cast<double>(delay_ns) * 1000 / step_ps))
                       : 0;
  }
};

// The shortest of a hundred tries each, so short that most of them are not interrupted, even where
// the machine is disturbed every millisecond. About 5 ms. Both kinds take turns: a core that has
// just woken gets faster within these milliseconds, and one kind after the other would be measured
// at two frequencies.
inline DelayRate try_delay_rate() {
  constexpr std::uint64_t kSteps = 20'000;
  constexpr std::uint64_t kChains = 20;
  constexpr int kTries = 100;
  std::int64_t whole_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t pieces_ns = whole_ns;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t begin_ns = clock::monotonic_raw_ns();
    DelayChain{kSteps}();
    const std::int64_t middle_ns = clock::monotonic_raw_ns();
    for (std::uint64_t chain = 0; chain < kChains; ++chain) DelayChain{kSteps / kChains}();
    const std::int64_t end_ns = clock::monotonic_raw_ns();
    whole_ns = std::min(whole_ns, middle_ns - begin_ns);
    pieces_ns = std::min(pieces_ns, end_ns - middle_ns);
  }
  return {.step_ps = static_cast<double>(whole_ns) * 1000 / static_cast<double>(kSteps),
          .check = static_cast<double>(pieces_ns) / static_cast<double>(whole_ns)};
}

// Once more where both kinds contradict each other: the core got faster in the last of the tries.
inline DelayRate measure_delay_rate() {
  constexpr int kRounds = 10;
  constexpr double kAgreement = 0.05;
  DelayRate rate = try_delay_rate();
  for (int round = 1; round < kRounds && std::abs(rate.check - 1) > kAgreement; ++round) {
    rate = try_delay_rate();
  }
  return rate;
}

}  // namespace invar::engine
