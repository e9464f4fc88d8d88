#include "group/canary_places.hpp"

#include <algorithm>
#include <vector>

namespace invar::group {

CanaryPlaces canary_places(std::span<const std::uint32_t> members,
                           std::span<const std::uint32_t> host_of_rank,
                           std::span<const std::int32_t> socket_of_rank, std::uint32_t rank) {
  std::vector<std::uint32_t> sorted(members.begin(), members.end());
  std::ranges::sort(sorted);
  CanaryPlaces places;
  if (socket_of_rank.empty() || !std::ranges::binary_search(sorted, rank)) return places;
  const auto here = [&](std::uint32_t member) {
    return host_of_rank[member] == host_of_rank[rank];
  };
  const auto socket = [&](std::uint32_t member) { return socket_of_rank[member]; };
  const std::uint32_t first = *std::ranges::find_if(sorted, here);
  if (socket(first) < 0) return places;
  const auto second = std::ranges::find_if(sorted, [&](std::uint32_t member) {
    return here(member) && socket(member) >= 0 && socket(member) != socket(first);
  });
  if (second == sorted.end()) return places;
  places.across_first = rank == first;
  places.across_second = rank == *second;
  return places;
}

}  // namespace invar::group
