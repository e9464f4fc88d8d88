// Between which ranks of a team a visit's canaries are taken: on every host the lowest two members,
// and the lowest one with the lowest on another socket.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/launch/host.hpp"

namespace invar::engine {

struct CanaryPlaces {
  // World rank of the lowest member on every host, ascending: what hosts are told by in a journal.
  std::vector<std::uint32_t> lowest = {};
  // Members of this rank's host sit on several sockets, and this rank is the lowest one, or the
  // lowest one that shares no socket with it.
  bool across_first = false;
  bool across_second = false;
};

// `members`: world ranks, in any order; `rank`: this one's.
CanaryPlaces canary_places(std::span<const std::uint32_t> members, const Hosts& hosts,
                           std::uint32_t rank);

}  // namespace invar::engine
