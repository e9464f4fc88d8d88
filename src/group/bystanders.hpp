// Ranks of a cell's communicator that stand by while the others measure, and which two of them
// exchange messages where they are to make traffic. Knows no MPI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace invar::group {

// Ascending, of the ranks 0 to `called` - 1 those that are none of `members`.
inline std::vector<std::uint32_t> bystanders_of(std::uint32_t called,
                                                std::span<const std::uint32_t> members) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t rank = 0; rank < called; ++rank) {
    if (std::find(members.begin(), members.end(), rank) == members.end()) others.push_back(rank);
  }
  return others;
}

// Neighbours in the list, two and two; the last one of an odd number has none, and neither has who
// does not stand by.
inline std::optional<std::uint32_t> traffic_partner(std::span<const std::uint32_t> bystanders,
                                                    std::uint32_t rank) {
  const auto own = std::find(bystanders.begin(), bystanders.end(), rank);
  if (own == bystanders.end()) return std::nullopt;
  const std::size_t partner = static_cast<std::size_t>(own - bystanders.begin()) ^ 1U;
  return partner < bystanders.size() ? std::optional(bystanders[partner]) : std::nullopt;
}

}  // namespace invar::group
