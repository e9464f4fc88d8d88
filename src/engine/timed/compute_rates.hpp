// How long the steps take of what ranks compute while their messages are under way
// (ops/overlap/kernels.hpp). Only roughly: what an amount of computation takes is measured, in
// cells of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "clock/ticks.hpp"
#include "engine/timed/delay.hpp"
#include "ops/overlap/kernels.hpp"

namespace invar::engine {

struct ComputeRates {
  DelayRate chain = {};   // of a multiplication; step 0: no cell needs it
  DelayRate memory = {};  // of a line that is streamed; likewise

  // As many steps as come nearest to so many seconds. `streams`: of `memory`, else of `chain`.
  [[nodiscard]] std::uint64_t steps(double seconds, bool streams) const {
    const double step_ps = (streams ? memory : chain).step_ps;
    return step_ps > 0 ? static_cast<std::uint64_t>(std::llround(seconds * 1e12 / step_ps)) : 0;
  }
};

// The median of 32 tries, because memory has no shortest time that means anything: the other ranks
// stream theirs as well. `check` compares 16 streams of 1024 lines with one of 16384. Some 10 ms.
inline DelayRate measure_memory_rate(ops::StreamedRegion& region) {
  constexpr std::uint64_t kLines = 16'384;
  constexpr std::uint64_t kStreams = 16;
  constexpr std::size_t kTries = 32;
  std::array<std::int64_t, kTries> whole_ns{};
  std::array<std::int64_t, kTries> pieces_ns{};
  for (std::size_t i = 0; i < kTries; ++i) {
    const std::int64_t begin_ns = clock::monotonic_raw_ns();
    ops::stream(region, kLines);
    const std::int64_t middle_ns = clock::monotonic_raw_ns();
    for (std::uint64_t n = 0; n < kStreams; ++n) ops::stream(region, kLines / kStreams);
    const std::int64_t end_ns = clock::monotonic_raw_ns();
    whole_ns[i] = middle_ns - begin_ns;
    pieces_ns[i] = end_ns - middle_ns;
  }
  const auto median = [](std::array<std::int64_t, kTries>& times_ns) {
    std::nth_element(times_ns.begin(), times_ns.begin() + kTries / 2, times_ns.end());
    return static_cast<double>(std::max<std::int64_t>(1, times_ns[kTries / 2]));
  };
  const double whole = median(whole_ns);
  return {.step_ps = whole * 1000 / static_cast<double>(kLines),
          .check = median(pieces_ns) / whole};
}

}  // namespace invar::engine
