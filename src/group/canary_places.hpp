// Between which ranks of a team a visit's canary across sockets is taken: on every host the lowest
// member and the lowest one on another socket. Knows no MPI.
#pragma once

#include <cstdint>
#include <span>

namespace invar::group {

struct CanaryPlaces {
  // Members of this rank's host sit on several sockets, and this rank is the lowest one, or the
  // lowest one that shares no socket with it.
  bool across_first = false;
  bool across_second = false;
};

// `members`: world ranks, in any order; `rank`: this one's; by world rank the index of the host,
// and the number of the socket there (negative: not known; empty: none is).
CanaryPlaces canary_places(std::span<const std::uint32_t> members,
                           std::span<const std::uint32_t> host_of_rank,
                           std::span<const std::int32_t> socket_of_rank, std::uint32_t rank);

}  // namespace invar::group
