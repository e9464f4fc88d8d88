// Which rank meets which in mesh: perfect matchings by the circle method, in O(1) for a rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/circle_method.hpp"
#include "clock/link.hpp"

namespace invar::clock {

class Schedule {
 public:
  // `matchings` of the ranks' rounds; 0: min(ranks - 1, 2 ceil(log2 ranks)). scattered: rounds from
  // all over the circle instead of neighbouring ones. Neighbouring rounds r, r + 1, ... make a
  // graph in which two steps lead to near ranks only (diameter p/K); scattered ones make one that
  // is as well connected as a random graph, so that errors do not add up along chains.
  Schedule(int ranks, int matchings, bool scattered)
      : ranks_(ranks), places_(ranks + ranks % 2), scattered_(scattered) {
    int bits = 0;
    while ((1 << bits) < ranks) ++bits;
    const int all = places_ > 1 ? places_ - 1 : 0;
    matchings_ = std::min(all, matchings > 0 ? matchings : 2 * bits);
  }

  [[nodiscard]] int matchings() const { return matchings_; }

  // The partner of a rank in matching k; -1: none (an odd number of ranks leaves one out).
  [[nodiscard]] int partner(int rank, int k) const {
    return base::circle_partner(ranks_, rank, round_of(k));
  }

  [[nodiscard]] std::optional<Pair> role(int rank, int k, bool lower_initiates) const {
    const int other = partner(rank, k);
    if (other < 0) return std::nullopt;
    const int low = std::min(rank, other);
    const int high = std::max(rank, other);
    return lower_initiates ? Pair{high, low} : Pair{low, high};
  }

 private:
  [[nodiscard]] int round_of(int k) const {
    const std::int64_t circle = places_ - 1;
    if (!scattered_ || matchings_ == circle) return k;
    // One round from each of K equal parts of the circle, at a place that a hash chooses.
    std::uint64_t h = static_cast<std::uint64_t>(k) + 0x9e3779b97f4a7c15U;
    h = (h ^ (h >> 30U)) * 0xbf58476d1ce4e5b9U;
    h = (h ^ (h >> 27U)) * 0x94d049bb133111ebU;
    const std::int64_t begin = k * circle / matchings_;
    const std::int64_t end = (k + 1) * circle / matchings_;
    return static_cast<int>(
        begin + static_cast<std::int64_t>((h >> 33U) % static_cast<std::uint64_t>(end - begin)));
  }
  int ranks_, places_;
  int matchings_ = 0;
  bool scattered_;
};

}  // namespace invar::clock
