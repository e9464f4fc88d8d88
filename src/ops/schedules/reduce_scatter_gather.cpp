// reduce of long vectors by Rabenseifner's algorithm: a reduce-scatter by recursive halving of the
// vector, a binomial gather of the shares (Rabenseifner 2004; Thakur, Rabenseifner, Gropp
// 2005). Ranks are counted from the root on, so that operands are combined out of order.
#include <array>
#include <vector>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

constexpr std::array kReduceScatterGatherPhases{
    Phase{.name = "fold", .summary = "a power of two of ranks has all operands"},
    Phase{.name = "reduce-scatter", .summary = "each of these has its share of the result"},
    Phase{.name = "gather", .summary = "the root has the result"}};

Steps reduce_scatter_gather_steps(const Position& at) {
  Schedule schedule;
  const int relative = at.relative();
  const bool root = relative == 0;
  // The root stays.
  const Fold fold(at.ranks, Fold::Stays::kLower);
  if (fold.leaves(relative)) {
    schedule.send(at.absolute(Fold::partner(relative)), whole(Where::kInput, at));
    return schedule.take();
  }
  const int number = fold.number(relative);
  const std::vector<Halving> rounds = halvings_outwards(number, fold.power());
  const Cut cut(at.elements, fold.power());
  // Those who are not the root have no result of their own: both halves of their scratch.
  const auto partial = [&](Piece piece) {
    piece.where = root ? Where::kResult : Where::kScratch;
    return piece;
  };
  const auto coming = [&](Piece piece) {
    piece.where = Where::kScratch;
    if (!root) piece.begin += at.elements;
    return piece;
  };
  bool has_partial = root && at.in_place;
  // The first one that comes is added to where it is.
  const auto receive_and_reduce = [&](int from, const Piece& piece, int to, const Piece& sent) {
    const Piece place = has_partial ? coming(piece) : partial(piece);
    schedule.exchange(to, has_partial ? partial(sent) : sent, from, place);
    schedule.reduce(has_partial ? place : piece, partial(piece));
    has_partial = true;
  };
  const Piece input = whole(Where::kInput, at);
  if (fold.in_pair(relative)) {
    receive_and_reduce(at.absolute(Fold::partner(relative)), input, kNobody, {});
  }
  schedule.begin_phase(1);
  for (const Halving& round : rounds) {
    const int partner = at.absolute(fold.rank_of(round.partner(number)));
    receive_and_reduce(partner, cut.piece(Where::kInput, round.kept_first, round.kept_end), partner,
                       cut.piece(Where::kInput, round.given_first, round.given_end));
  }
  if (!has_partial) schedule.copy(input, partial(input));  // nobody else is there
  schedule.begin_phase(2);
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    const int partner = at.absolute(fold.rank_of(round->partner(number)));
    if (round->is_upper(number)) {
      schedule.send(partner,
                    partial(cut.piece(Where::kScratch, round->kept_first, round->kept_end)));
      break;
    }
    schedule.receive(partner,
                     partial(cut.piece(Where::kScratch, round->given_first, round->given_end)));
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kReduceScatterGather{
    .name = "reduce@reduce-scatter-gather",
    .collective = "reduce",
    .summary = "reduce by Rabenseifner's reduce-scatter and gather",
    .phases = kReduceScatterGatherPhases,
    .scratch = {.constant = 2},
    .reorders = true,
    .steps = reduce_scatter_gather_steps,
};

}  // namespace invar::ops
