// reduce_scatter_block by pairwise exchange: every rank sends each of the others its block, one
// after the other, and adds up what comes (Thakur, Rabenseifner, Gropp 2005).
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps reduce_scatter_block_pairwise_steps(const Position& at) {
  Schedule schedule;
  const Piece own = blocks(Where::kInput, at, at.rank);
  const Piece result = whole(Where::kResult, at);
  const Piece coming = blocks(Where::kScratch, at, 0);
  // In place the result lies where blocks wait that are still to be sent.
  const Piece partial = at.in_place ? blocks(Where::kScratch, at, 1) : result;
  for (int distance = 1; distance < at.ranks; ++distance) {
    const int to = at.right(distance);
    const bool first = distance == 1;
    // The first one that comes is added to where it is.
    schedule.exchange(to, blocks(Where::kInput, at, to), at.left(distance),
                      first ? partial : coming);
    schedule.reduce(first ? own : coming, partial);
  }
  if (at.ranks == 1) {
    schedule.copy(own, result);
  } else if (at.in_place) {
    schedule.copy(partial, result);
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kReduceScatterBlockPairwise{
    .name = "reduce_scatter_block@pairwise",
    .collective = "reduce_scatter_block",
    .summary = "reduce_scatter_block by exchanges with one rank after the other",
    .scratch = {.constant = 2},
    .chain = record::Chain::kRing,
    .reorders = true,
    .steps = reduce_scatter_block_pairwise_steps,
};

}  // namespace invar::ops
