// Bytes of the engine's arena, before there is one (ops/buffers/memory.cpp).
#pragma once

#include <algorithm>
#include <cstdint>

namespace invar::driver {

// A buffer lies anywhere in its pages, with one in front and one behind: of three buffers.
constexpr std::uint64_t kArenaGuardBytes = std::uint64_t{6} * 4096;

// The arena holds the largest cell's buffers, with room to move them about in.
constexpr std::uint64_t arena_bytes(std::uint64_t largest_bytes) {
  constexpr std::uint64_t kLeastSpareBytes = 256ULL << 10U;
  constexpr std::uint64_t kMostSpareBytes = 16ULL << 20U;
  return largest_bytes + std::clamp(largest_bytes, kLeastSpareBytes, kMostSpareBytes);
}

}  // namespace invar::driver
