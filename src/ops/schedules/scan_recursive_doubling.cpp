// scan by recursive doubling: each rank adds what the rank 1, 2, 4, ... places to its left has so
// far. log2(p) rounds for any number of ranks (Hillis, Steele 1986). The operand of the lower ranks
// stands first, so that operators need not commute.
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps scan_recursive_doubling_steps(const Position& at) {
  Schedule schedule;
  const Piece result = whole(Where::kResult, at);
  const Piece coming = whole(Where::kScratch, at);
  schedule.copy(whole(Where::kInput, at), result);
  for (int distance = 1; distance < at.ranks; distance *= 2) {
    const int to = at.rank + distance < at.ranks ? at.rank + distance : kNobody;
    const int from = at.rank >= distance ? at.rank - distance : kNobody;
    if (to == kNobody && from == kNobody) continue;
    schedule.exchange(to, result, from, coming);
    if (from != kNobody) schedule.reduce(coming, result);
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kScanRecursiveDoubling{
    .name = "scan@recursive-doubling",
    .collective = "scan",
    .summary = "scan by recursive doubling",
    .scratch = {.constant = 1},
    .steps = scan_recursive_doubling_steps,
};

}  // namespace invar::ops
