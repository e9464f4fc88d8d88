// bcast of long vectors: the root scatters it by a binomial tree, then the shares go around a ring
// (Thakur, Rabenseifner, Gropp 2005). Every rank gets all shares around the ring, also those
// that the tree has left with it, as MPICH and Open MPI do it.
#include <algorithm>
#include <array>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

constexpr std::array kBcastScatterPhases{
    Phase{.name = "scatter", .summary = "every rank has its share"},
    Phase{.name = "allgather", .summary = "every rank has all shares"}};

Steps bcast_scatter_ring_allgather_steps(const Position& at) {
  Schedule schedule;
  const int relative = at.relative();
  const Cut cut(at.elements, at.ranks);
  // The shares of a subtree.
  const auto shares = [&](int first, int count) {
    return cut.piece(Where::kResult, first, std::min(first + count, at.ranks));
  };
  int bit = 1;
  while (bit < at.ranks && (relative & bit) == 0) bit *= 2;
  if (relative != 0) schedule.receive(at.absolute(relative - bit), shares(relative, bit));
  for (bit /= 2; bit > 0; bit /= 2) {
    const int child = relative + bit;
    if (child < at.ranks) schedule.send(at.absolute(child), shares(child, bit));
  }
  schedule.begin_phase(1);
  for (int round = 0; round + 1 < at.ranks; ++round) {
    const int mine = (relative + at.ranks - round) % at.ranks;
    const int theirs = (relative + 2 * at.ranks - round - 1) % at.ranks;
    schedule.exchange(at.right(), shares(mine, 1), at.left(), shares(theirs, 1));
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kBcastScatterRingAllgather{
    .name = "bcast@scatter-ring-allgather",
    .collective = "bcast",
    .summary = "bcast by a binomial scatter and a ring allgather",
    .phases = kBcastScatterPhases,
    .chain = record::Chain::kRing,
    .one_vector = true,
    .steps = bcast_scatter_ring_allgather_steps,
};

}  // namespace invar::ops
