// The binomial tree of Netgauge and of the HCA family (paper 002, algorithm 2): rounds 1 ... r pair
// ranks below the largest power of two, one further round takes the rest.
#pragma once

#include <optional>

#include "clock/link.hpp"

namespace invar::clock {

class Tree {
 public:
  explicit Tree(int ranks) : ranks_(ranks) {
    while (2 * power_ <= ranks) {
      power_ *= 2;
      ++doublings_;
    }
  }
  [[nodiscard]] int rounds() const { return doublings_ + (power_ < ranks_ ? 1 : 0); }

  // The pair of a rank in a round from 1 to rounds(). Rank 0 is never a client, every other rank
  // exactly once.
  [[nodiscard]] std::optional<Pair> role(int rank, int round) const {
    if (round > doublings_) {
      if (rank >= power_) return Pair{rank - power_, rank};
      if (rank < ranks_ - power_) return Pair{rank, rank + power_};
      return std::nullopt;
    }
    const int step = 1 << (round - 1);
    if (rank >= power_ || rank % step != 0) return std::nullopt;
    return rank % (2 * step) == 0 ? Pair{rank, rank + step} : Pair{rank - step, rank};
  }

  // From the leaves to the root, the rest after it: HCA's order of measuring.
  template <typename Body>
  void upwards(Link& link, Body body) const {
    for (int round = 1; round <= rounds(); ++round) visit(link, round, body);
  }
  // From the root to the leaves, the rest at the end: a client's reference is done before it.
  template <typename Body>
  void downwards(Link& link, Body body) const {
    for (int round = doublings_; round >= 1; --round) visit(link, round, body);
    if (rounds() > doublings_) visit(link, rounds(), body);
  }

  // Turns models against the reference of each rank's pair into models against rank 0. The sums are
  // the same as those of the paper, which merges on the way up and keeps all models at the root;
  // this way every rank holds one.
  void compose(Link& link, PerRank<Model>& models) const {
    downwards(link, [&](const Pair& pair) {
      const Model reference =
          clock::send(link, pair.reference, pair.client,
                      link.holds(pair.reference) ? models[pair.reference] : Model{});
      if (link.holds(pair.client)) models[pair.client] = merge(models[pair.client], reference);
    });
  }

 private:
  template <typename Body>
  void visit(Link& link, int round, Body body) const {
    for_each_pair(
        link, [&](int rank) { return role(rank, round); }, body);
  }
  int ranks_;
  int power_ = 1;
  int doublings_ = 0;
};

}  // namespace invar::clock
