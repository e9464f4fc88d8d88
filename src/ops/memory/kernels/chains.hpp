// Chains of pointers through a buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.hpp"
#include "ops/memory/kernels/kernels.hpp"
#include "record/memory/levels.hpp"

namespace invar::ops {

struct ChainOrder {
  std::uint64_t lines = 0;  // in all chains, a multiple of them
  std::uint64_t stride_bytes = record::kChainStrideBytes;
  record::Access access = record::Access::kRandom;
  std::uint32_t chains = 1;  // 1 to kMostChainsFollowed
};

using ChainHeads = std::array<const std::byte*, kMostChainsFollowed>;

// Writes the chains into `buffer` (aligned to 8 bytes) and returns where each begins. Each is one
// cycle through as many lines as the others. Random: every order of all lines is equally likely, so
// that each chain is a uniformly drawn cycle, as Sattolo's algorithm (1986) draws one.
// random-in-page: pages one after the other, their lines drawn; line-per-page: the pages are drawn.
ChainHeads make_chains(std::byte* buffer, const ChainOrder& order, base::Random& random);

}  // namespace invar::ops
