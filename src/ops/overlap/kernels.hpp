// What ranks compute while their messages are under way, in steps whose time the engine measures
// (engine/timed/compute_rates.hpp). No clock is read in it, and none of it touches a message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace invar::ops {

// So many dependent multiplications, in a register. The loop's own counter runs ahead of the chain,
// so that what it costs, a mispredicted end included, is hidden behind it.
[[gnu::always_inline]] inline void run_chain(std::uint64_t steps) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t value = kOdd;
  for (std::uint64_t left = steps; left > 0; --left) {
    value *= kOdd;
    asm volatile("" : "+r"(value));
  }
}

// Memory that is streamed: read and written line by line, from where the last stream ended, round
// and round. It is larger than the caches, so that no line is in them when its turn comes again.
struct StreamedRegion {
  static constexpr std::size_t kLineBytes = 64;

  std::uint64_t* words = nullptr;
  std::size_t lines = 0;
  std::size_t at = 0;  // the next line
};

inline void stream(StreamedRegion& region, std::uint64_t lines) {
  constexpr std::size_t kWords = StreamedRegion::kLineBytes / sizeof(std::uint64_t);
  while (lines > 0) {
    const std::size_t now = std::min<std::uint64_t>(lines, region.lines - region.at);
    std::uint64_t* const from = region.words + region.at * kWords;
    for (std::size_t i = 0; i < now * kWords; ++i) from[i] += 1;
    asm volatile("" : : "r"(from) : "memory");
    region.at = region.at + now == region.lines ? 0 : region.at + now;
    lines -= now;
  }
}

}  // namespace invar::ops
