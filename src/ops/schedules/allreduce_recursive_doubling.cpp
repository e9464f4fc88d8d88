// allreduce by recursive doubling: partial results are exchanged with ranks twice as far away each
// round. log2(p) rounds of the whole vector (Thakur, Rabenseifner, Gropp 2005). The operand of
// the lower ranks stands first, so that operators need not commute.
#include <array>
#include <utility>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

constexpr std::array kAllreduceDoublingPhases{
    Phase{.name = "fold", .summary = "a power of two of ranks has all operands"},
    Phase{.name = "exchange", .summary = "these ranks have the result"},
    Phase{.name = "unfold", .summary = "all ranks have it"}};

Steps allreduce_recursive_doubling_steps(const Position& at) {
  Schedule schedule;
  const Fold fold(at.ranks, Fold::Stays::kUpper);
  const Piece result = whole(Where::kResult, at);
  const Piece scratch = whole(Where::kScratch, at);
  if (fold.leaves(at.rank)) {
    schedule.send(Fold::partner(at.rank), whole(Where::kInput, at));
    schedule.begin_phase(2);
    schedule.receive(Fold::partner(at.rank), result);
    return schedule.take();
  }
  const int number = fold.number(at.rank);
  // Where the own operand stands first, the result is where the other one came in. It begins where
  // it ends in the result.
  Piece partial = result;
  Piece coming = scratch;
  for (int bit = 1; bit < fold.power(); bit *= 2) {
    if ((number & bit) == 0) std::swap(partial, coming);
  }
  schedule.copy(whole(Where::kInput, at), partial);
  if (fold.in_pair(at.rank)) {
    schedule.receive(Fold::partner(at.rank), coming);
    schedule.reduce(coming, partial);
  }
  schedule.begin_phase(1);
  for (int bit = 1; bit < fold.power(); bit *= 2) {
    const int partner = fold.rank_of(number ^ bit);
    schedule.exchange(partner, partial, partner, coming);
    if ((number & bit) != 0) {
      schedule.reduce(coming, partial);
    } else {
      schedule.reduce(partial, coming);
      std::swap(partial, coming);
    }
  }
  schedule.begin_phase(2);
  if (fold.in_pair(at.rank)) schedule.send(Fold::partner(at.rank), result);
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAllreduceRecursiveDoubling{
    .name = "allreduce@recursive-doubling",
    .collective = "allreduce",
    .summary = "allreduce by recursive doubling",
    .phases = kAllreduceDoublingPhases,
    .scratch = {.constant = 1},
    .steps = allreduce_recursive_doubling_steps,
};

}  // namespace invar::ops
