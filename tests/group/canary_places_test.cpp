// Who takes the canaries of a visit, by hosts and sockets of the team's members.
#include "group/canary_places.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace invar::group {
namespace {

// Two hosts of four ranks, host after host, two a socket.
const std::vector<std::uint32_t> kHosts{0, 0, 0, 0, 1, 1, 1, 1};
const std::vector<std::int32_t> kSockets{0, 0, 1, 1, 0, 0, 1, 1};

using Pair = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;

// World ranks that are the first and the second one of a pair across sockets.
Pair across(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& hosts,
            const std::vector<std::int32_t>& sockets) {
  Pair pair;
  for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) {
    const CanaryPlaces places = canary_places(members, hosts, sockets, rank);
    EXPECT_FALSE(places.across_first && places.across_second) << rank;
    if (places.across_first) pair.first.push_back(rank);
    if (places.across_second) pair.second.push_back(rank);
  }
  return pair;
}

TEST(CanaryPlaces, ThePairIsTheLowestAndTheLowestOnAnotherSocket) {
  EXPECT_EQ(across({0, 1, 2, 3, 4, 5, 6, 7}, kHosts, kSockets), (Pair{{0, 4}, {2, 6}}));
  EXPECT_EQ(across({3, 1, 7}, kHosts, kSockets), (Pair{{1}, {3}})) << "host 1 has one member";
}

TEST(CanaryPlaces, OneSocketHasNoPair) {
  EXPECT_EQ(across({0, 1, 4, 5}, kHosts, kSockets), Pair());
  EXPECT_EQ(across({0, 2}, kHosts, {}), Pair()) << "nobody knows the sockets";
}

// Socket 0 of one host is not socket 1 of the other: sockets are numbered within a host.
TEST(CanaryPlaces, HostsHaveNoPairWithEachOther) {
  EXPECT_EQ(across({0, 6}, kHosts, kSockets), Pair());
}

TEST(CanaryPlaces, RanksThatAreNotBoundAreOnNoSocket) {
  std::vector<std::int32_t> sockets = kSockets;
  sockets[2] = -1;
  EXPECT_EQ(across({0, 1, 2, 3}, kHosts, sockets), (Pair{{0}, {3}}));
  sockets[0] = -1;
  EXPECT_EQ(across({0, 1, 2, 3}, kHosts, sockets), Pair());
}

}  // namespace
}  // namespace invar::group
