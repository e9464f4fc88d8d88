// bcast by a Bine tree ("binomial, negabinary"): as in a binomial tree all who have the vector send
// it in every round, but the ways go to both sides and are shorter, 1, 1, 3, 5, 11, ... ranks
// instead of 1, 2, 4, 8, 16, ... : less leaves a host or a group of a network (De Sensi and others,
// "Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality", SC 2025).
//
// It knows no MPI: the engine runs the steps (docs/adding-an-operation.md, "Reference algorithms").
#include <vector>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

// 1 - 2 + 4 - ..., with so many terms.
int negabinary_ones(int terms) {
  int sum = 0;
  for (int term = 1, i = 0; i < terms; ++i, term *= -2) sum += term;
  return sum;
}

Steps bcast_bine_steps(const Position& at) {
  Schedule schedule;
  const int relative = at.relative();
  const Piece vector = whole(Where::kResult, at);
  int rounds = 0;
  for (int reached = 1; reached < at.ranks; reached *= 2) ++rounds;
  std::vector<bool> has(static_cast<std::size_t>(at.ranks), false);
  has[0] = true;
  for (int terms = rounds; terms > 0; --terms) {
    // Even ranks go one way, odd ones the other, so that each is its partner's partner.
    const int way = negabinary_ones(terms);
    const auto partner = [&](int rank) {
      return ((rank % 2 == 0 ? rank + way : rank - way) % at.ranks + at.ranks) % at.ranks;
    };
    const std::vector<bool> before = has;
    for (int rank = 0; rank < at.ranks; ++rank) {
      if (!before[static_cast<std::size_t>(rank)]) continue;
      has[static_cast<std::size_t>(partner(rank))] = true;
      if (rank == relative) schedule.send(at.absolute(partner(rank)), vector, Wait::kNone);
      if (partner(rank) == relative) schedule.receive(at.absolute(rank), vector);
    }
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kBcastBine{
    .name = "bcast@bine",
    .collective = "bcast",
    .summary = "bcast by a Bine tree",
    .rank_counts = record::RankCounts::kPowerOfTwo,
    .one_vector = true,
    .steps = bcast_bine_steps,
};

}  // namespace invar::ops
