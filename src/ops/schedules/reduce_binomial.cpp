// reduce by a binomial tree that ends at the root. log2(p) rounds, the whole vector in each
// (Thakur, Rabenseifner, Gropp 2005). Ranks are counted from the root on, so that operands are
// combined out of order.
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps reduce_binomial_steps(const Position& at) {
  Schedule schedule;
  const int relative = at.relative();
  const Piece input = whole(Where::kInput, at);
  const bool root = relative == 0;
  // The root's is in place; the others have no result of their own.
  const Piece partial = root ? whole(Where::kResult, at) : whole(Where::kScratch, at);
  const Piece coming{Where::kScratch, root ? 0 : at.elements, at.elements};
  bool has_partial = root && at.in_place;
  int bit = 1;
  for (; bit < at.ranks && (relative & bit) == 0; bit *= 2) {
    if (relative + bit >= at.ranks) continue;
    const int child = at.absolute(relative + bit);
    // The first one that comes is added to where it is.
    schedule.receive(child, has_partial ? coming : partial);
    schedule.reduce(has_partial ? coming : input, partial);
    has_partial = true;
  }
  if (!root) {
    schedule.send(at.absolute(relative - bit), has_partial ? partial : input);
  } else if (!has_partial) {
    schedule.copy(input, partial);
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kReduceBinomial{
    .name = "reduce@binomial",
    .collective = "reduce",
    .summary = "reduce by a binomial tree",
    .scratch = {.constant = 2},
    .reorders = true,
    .steps = reduce_binomial_steps,
};

}  // namespace invar::ops
