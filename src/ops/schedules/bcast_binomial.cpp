// bcast by a binomial tree: who has the vector sends it to the rank half as far away as the last
// one. log2(p) rounds, the whole vector in each (Thakur, Rabenseifner, Gropp 2005).
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps bcast_binomial_steps(const Position& at) {
  Schedule schedule;
  const int relative = at.relative();
  const Piece vector = whole(Where::kResult, at);
  int bit = 1;
  while (bit < at.ranks && (relative & bit) == 0) bit *= 2;
  if (relative != 0) schedule.receive(at.absolute(relative - bit), vector);
  for (bit /= 2; bit > 0; bit /= 2) {
    if (relative + bit < at.ranks) {
      schedule.send(at.absolute(relative + bit), vector, Wait::kNone);
    }
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kBcastBinomial{
    .name = "bcast@binomial",
    .collective = "bcast",
    .summary = "bcast by a binomial tree",
    .one_vector = true,
    .steps = bcast_binomial_steps,
};

}  // namespace invar::ops
