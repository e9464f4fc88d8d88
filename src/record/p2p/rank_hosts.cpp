#include "record/p2p/rank_hosts.hpp"

#include <algorithm>

namespace invar::record {

std::optional<std::vector<std::uint32_t>> hosts_of_ranks(const Cell& cell) {
  const std::uint32_t nodes = std::max(1U, cell.nodes);
  if (cell.rank_order == "shuffled" && nodes > 1) return std::nullopt;
  std::vector<std::uint32_t> hosts;
  hosts.reserve(cell.ranks);
  if (cell.mapping == "round-robin") {
    for (std::uint32_t rank = 0; rank < cell.ranks; ++rank) hosts.push_back(rank % nodes);
  } else {
    for (std::uint32_t host = 0; host < nodes; ++host) {
      hosts.insert(hosts.end(), cell.ranks / nodes + (host < cell.ranks % nodes ? 1U : 0U), host);
    }
  }
  if (cell.rank_order == "reversed") std::ranges::reverse(hosts);
  return hosts;
}

}  // namespace invar::record
