// Who meets whom so that everybody meets everybody once: rounds of perfect matchings by the circle
// method (Kirkman 1847; https://en.wikipedia.org/wiki/Round-robin_tournament), in O(1) for a rank.
#pragma once

#include <algorithm>
#include <cstdint>

namespace invar::base {

// So many rounds there are: one less than the ranks, or as many as an odd number of them.
constexpr int circle_rounds(int ranks) { return ranks < 2 ? 0 : ranks - 1 + ranks % 2; }

// The partner of a rank in a round, 0 to circle_rounds() - 1; -1: none (an odd number of ranks
// leaves one out in each round).
constexpr int circle_partner(int ranks, int rank, int round) {
  const int places = ranks + ranks % 2;
  const int circle = std::max(1, places - 1);  // odd
  int partner = 0;
  if (rank == circle) {
    // The one that would meet itself: 2 i = round modulo the circle.
    partner = static_cast<int>(static_cast<std::int64_t>(round) * (places / 2) % circle);
  } else {
    partner = (round - rank + circle) % circle;
    if (partner == rank) partner = circle;
  }
  return partner < ranks ? partner : -1;
}

}  // namespace invar::base
