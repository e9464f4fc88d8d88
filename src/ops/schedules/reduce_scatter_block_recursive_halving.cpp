// reduce_scatter_block by recursive halving: partial results of half of the remaining blocks are
// exchanged with ranks half as far away each round (Thakur, Rabenseifner, Gropp 2005). Blocks
// must end on their ranks, so that far ranks come first and operands are combined out of order.
#include <array>
#include <vector>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

constexpr std::array kRecursiveHalvingPhases{
    Phase{.name = "fold", .summary = "a power of two of ranks has all operands"},
    Phase{.name = "halving", .summary = "each of these has its blocks of the result"},
    Phase{.name = "unfold", .summary = "all ranks have theirs"}};

Steps recursive_halving_steps(const Position& at) {
  Schedule schedule;
  const Fold fold(at.ranks, Fold::Stays::kUpper);
  const Piece result = whole(Where::kResult, at);
  const Piece input = blocks(Where::kInput, at, 0, at.ranks);
  if (fold.leaves(at.rank)) {
    schedule.send(Fold::partner(at.rank), input);
    schedule.begin_phase(2);
    schedule.receive(Fold::partner(at.rank), result);
    return schedule.take();
  }
  const int number = fold.number(at.rank);
  // A number has the blocks of its pair, or its own one.
  const auto first_block = [&](int of) { return of < fold.pairs() ? 2 * of : of + fold.pairs(); };
  const auto blocks_of = [&](int first, int end) {
    return blocks(Where::kInput, at, first_block(first), first_block(end) - first_block(first));
  };
  // The first half of the scratch holds partial results, the second one what comes in.
  const auto partial = [](Piece piece) {
    piece.where = Where::kScratch;
    return piece;
  };
  const auto coming = [&](Piece piece) {
    piece.where = Where::kScratch;
    piece.begin += input.elements;
    return piece;
  };
  bool has_partial = false;
  // The first one that comes is added to where it is.
  const auto receive_and_reduce = [&](int from, const Piece& piece, int to, const Piece& sent) {
    const Piece place = has_partial ? coming(piece) : partial(piece);
    schedule.exchange(to, has_partial ? partial(sent) : sent, from, place);
    schedule.reduce(has_partial ? place : piece, partial(piece));
    has_partial = true;
  };
  if (fold.in_pair(at.rank)) {
    receive_and_reduce(Fold::partner(at.rank), input, kNobody, {});
  }
  schedule.begin_phase(1);
  for (const Halving& round : halvings_inwards(number, fold.power())) {
    const int partner = fold.rank_of(round.partner(number));
    receive_and_reduce(partner, blocks_of(round.kept_first, round.kept_end), partner,
                       blocks_of(round.given_first, round.given_end));
  }
  const Piece own = blocks(Where::kInput, at, at.rank);
  schedule.copy(has_partial ? partial(own) : own, result);
  schedule.begin_phase(2);
  if (fold.in_pair(at.rank)) {
    const int other = Fold::partner(at.rank);
    schedule.send(other, blocks(Where::kScratch, at, other));
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kReduceScatterBlockRecursiveHalving{
    .name = "reduce_scatter_block@recursive-halving",
    .collective = "reduce_scatter_block",
    .summary = "reduce_scatter_block by recursive halving",
    .phases = kRecursiveHalvingPhases,
    .scratch = {.per_rank = 2},
    .reorders = true,
    .steps = recursive_halving_steps,
};

}  // namespace invar::ops
