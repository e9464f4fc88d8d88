#include "engine/launch/canary_places.hpp"

#include <algorithm>

namespace invar::engine {

CanaryPlaces canary_places(std::span<const std::uint32_t> members, const Hosts& hosts,
                           std::uint32_t rank) {
  std::vector<std::uint32_t> sorted(members.begin(), members.end());
  std::ranges::sort(sorted);
  CanaryPlaces places;
  std::vector<bool> seen(hosts.count, false);
  for (const std::uint32_t member : sorted) {
    const std::uint32_t host = hosts.of_rank[member];
    if (seen[host]) continue;
    seen[host] = true;
    places.lowest.push_back(member);
  }
  if (hosts.socket_of_rank.empty() || !std::ranges::binary_search(sorted, rank)) return places;
  const std::uint32_t host = hosts.of_rank[rank];
  const auto here = [&](std::uint32_t member) { return hosts.of_rank[member] == host; };
  const auto socket = [&](std::uint32_t member) { return hosts.socket_of_rank[member]; };
  const auto first = std::ranges::find_if(sorted, here);
  if (socket(*first) == kUnknownSocket) return places;
  const auto second = std::ranges::find_if(sorted, [&](std::uint32_t member) {
    return here(member) && socket(member) != kUnknownSocket && socket(member) != socket(*first);
  });
  if (second == sorted.end()) return places;
  places.across_first = rank == *first;
  places.across_second = rank == *second;
  return places;
}

}  // namespace invar::engine
