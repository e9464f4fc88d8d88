#include "group/team_ranks.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"

namespace invar::group {
namespace {

constexpr std::uint64_t kOrderStream = 0x6f72646572;  // "order"

// World ranks of each host, hosts in the order of their lowest ranks.
std::vector<std::vector<std::uint32_t>> ranks_of_hosts(
    std::span<const std::uint32_t> host_of_rank) {
  std::vector<std::vector<std::uint32_t>> hosts;
  for (std::uint32_t rank = 0; rank < host_of_rank.size(); ++rank) {
    if (host_of_rank[rank] >= hosts.size()) hosts.resize(host_of_rank[rank] + 1);
    hosts[host_of_rank[rank]].push_back(rank);
  }
  return hosts;
}

}  // namespace

std::vector<std::uint32_t> team_ranks(const record::Cell& cell,
                                      std::span<const std::uint32_t> host_of_rank,
                                      std::uint64_t seed) {
  std::vector<std::vector<std::uint32_t>> hosts = ranks_of_hosts(host_of_rank);
  const auto fail = [&](const std::string& what) {
    throw base::UserError("launch", record::cell_text(cell) + ": " + what,
                          "the launcher placed the ranks otherwise than the campaign says");
  };
  if (cell.nodes == 0 || cell.nodes > hosts.size()) {
    fail("the ranks are on " + std::to_string(hosts.size()) + " hosts");
  }
  hosts.resize(cell.nodes);
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t host = 0; host < cell.nodes; ++host) {
    const std::size_t wanted = cell.ranks / cell.nodes + (host < cell.ranks % cell.nodes ? 1U : 0U);
    if (hosts[host].size() < wanted) {
      fail("host number " + std::to_string(host) + " has " + std::to_string(hosts[host].size()) +
           " ranks, " + std::to_string(wanted) + " are needed there");
    }
    hosts[host].resize(wanted);
  }
  if (cell.mapping == "round-robin") {
    for (std::size_t i = 0; ranks.size() < cell.ranks; ++i) {
      for (const std::vector<std::uint32_t>& host : hosts) {
        if (i < host.size()) ranks.push_back(host[i]);
      }
    }
  } else {
    for (const std::vector<std::uint32_t>& host : hosts) {
      ranks.insert(ranks.end(), host.begin(), host.end());
    }
  }
  if (cell.rank_order == "reversed") std::reverse(ranks.begin(), ranks.end());
  if (cell.rank_order == "shuffled") {
    base::Random random = base::Random::of({seed, kOrderStream, cell.ranks, cell.nodes});
    random.shuffle(std::span(ranks));
  }
  return ranks;
}

std::vector<std::uint32_t> lowest_on_hosts(std::span<const std::uint32_t> ranks,
                                           std::span<const std::uint32_t> host_of_rank) {
  std::map<std::uint32_t, std::uint32_t> lowest;  // by host
  for (const std::uint32_t rank : ranks) {
    const auto [known, is_new] = lowest.try_emplace(host_of_rank[rank], rank);
    if (!is_new) known->second = std::min(known->second, rank);
  }
  std::vector<std::uint32_t> of_hosts;
  for (const std::uint32_t rank : ranks) {
    if (lowest.at(host_of_rank[rank]) == rank) of_hosts.push_back(rank);
  }
  return of_hosts;
}

}  // namespace invar::group
