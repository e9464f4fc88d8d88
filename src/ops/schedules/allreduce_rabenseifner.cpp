// allreduce by Rabenseifner's algorithm: a reduce-scatter by recursive halving of the vector, an
// allgather by recursive doubling of it (Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005).
// Neighbours come first, and the operand of the lower ranks stands first, so that operators need
// not commute.
#include <array>
#include <utility>
#include <vector>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

constexpr std::array kRabenseifnerPhases{
    Phase{.name = "fold", .summary = "a power of two of ranks has all operands"},
    Phase{.name = "reduce-scatter", .summary = "each of these has its share of the result"},
    Phase{.name = "allgather", .summary = "these ranks have the result"},
    Phase{.name = "unfold", .summary = "all ranks have it"}};

Steps allreduce_rabenseifner_steps(const Position& at) {
  Schedule schedule;
  const Fold fold(at.ranks, Fold::Stays::kUpper);
  const Piece result = whole(Where::kResult, at);
  if (fold.leaves(at.rank)) {
    schedule.send(Fold::partner(at.rank), whole(Where::kInput, at));
    schedule.begin_phase(3);
    schedule.receive(Fold::partner(at.rank), result);
    return schedule.take();
  }
  const int number = fold.number(at.rank);
  const std::vector<Halving> rounds = halvings_outwards(number, fold.power());
  const Cut cut(at.elements, fold.power());
  // As in allreduce_recursive_doubling.cpp: it begins where it ends in the result.
  Where partial = Where::kResult;
  Where coming = Where::kScratch;
  for (const Halving& round : rounds) {
    if (!round.is_upper(number)) std::swap(partial, coming);
  }
  schedule.copy(whole(Where::kInput, at), whole(partial, at));
  if (fold.in_pair(at.rank)) {
    schedule.receive(Fold::partner(at.rank), whole(coming, at));
    schedule.reduce(whole(coming, at), whole(partial, at));
  }
  schedule.begin_phase(1);
  for (const Halving& round : rounds) {
    const int partner = fold.rank_of(round.partner(number));
    const Piece mine = cut.piece(partial, round.kept_first, round.kept_end);
    const Piece theirs = cut.piece(coming, round.kept_first, round.kept_end);
    schedule.exchange(partner, cut.piece(partial, round.given_first, round.given_end), partner,
                      theirs);
    if (round.is_upper(number)) {
      schedule.reduce(theirs, mine);
    } else {
      schedule.reduce(mine, theirs);
      std::swap(partial, coming);
    }
  }
  schedule.begin_phase(2);
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    const int partner = fold.rank_of(round->partner(number));
    schedule.exchange(partner, cut.piece(Where::kResult, round->kept_first, round->kept_end),
                      partner, cut.piece(Where::kResult, round->given_first, round->given_end));
  }
  schedule.begin_phase(3);
  if (fold.in_pair(at.rank)) schedule.send(Fold::partner(at.rank), result);
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAllreduceRabenseifner{
    .name = "allreduce@rabenseifner",
    .collective = "allreduce",
    .summary = "allreduce by Rabenseifner's reduce-scatter and allgather",
    .phases = kRabenseifnerPhases,
    .scratch = {.constant = 1},
    .steps = allreduce_rabenseifner_steps,
};

}  // namespace invar::ops
