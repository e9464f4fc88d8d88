// Cells that an operation cannot have, and why: stage 1 leaves them out, and the engine refuses
// them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace invar::record {

enum class RankCounts : std::uint8_t { kAny, kEven, kPowerOfTwo };

// As in `invar-engine --describe`.
constexpr std::string_view name_of(RankCounts counts) {
  constexpr std::string_view kNames[] = {"any", "even", "power of two"};
  return kNames[static_cast<std::size_t>(counts)];
}

constexpr bool allows(RankCounts counts, std::uint32_t ranks) {
  if (counts == RankCounts::kEven) return ranks % 2 == 0;
  return counts == RankCounts::kAny || std::has_single_bit(ranks);
}

// Why an operation has no such cell; empty: it has. "needs an even number of ranks, not 3".
inline std::string lack_of_ranks(RankCounts counts, std::uint32_t ranks) {
  if (allows(counts, ranks)) return {};
  return std::string("needs ") +
         (counts == RankCounts::kEven ? "an even number of ranks" : "a power of two of ranks") +
         ", not " + std::to_string(ranks);
}

// The same of an operator that does not commute.
inline std::string lack_of_order(std::string_view reduction) {
  return "combines operands in another order than that of the ranks, and operator '" +
         std::string(reduction) + "' does not commute";
}

}  // namespace invar::record
