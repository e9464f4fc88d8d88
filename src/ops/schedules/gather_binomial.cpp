// gather by a binomial tree that ends at the root: the blocks of a subtree travel together. log2(p)
// rounds (Thakur, Rabenseifner, Gropp 2005).
#include <algorithm>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

// The root's blocks of the ranks from `first` on, which may go on with rank 0.
void receive_at_root(const Position& at, int child, int first, int count, Schedule& schedule) {
  const int to_last = std::min(count, at.ranks - first);
  if (to_last == count) {
    schedule.receive(child, blocks(Where::kResult, at, first, count));
    return;
  }
  schedule.receive(child, blocks(Where::kScratch, at, 0, count));
  schedule.copy(blocks(Where::kScratch, at, 0, to_last),
                blocks(Where::kResult, at, first, to_last));
  schedule.copy(blocks(Where::kScratch, at, to_last, count - to_last),
                blocks(Where::kResult, at, 0, count - to_last));
}

Steps gather_binomial_steps(const Position& at) {
  Schedule schedule;
  const int relative = at.relative();
  const bool root = relative == 0;
  const Piece input = whole(Where::kInput, at);
  if (root) schedule.copy(input, blocks(Where::kResult, at, at.rank));
  int has = 1;  // blocks of the subtree, from the own one on
  int bit = 1;
  for (; bit < at.ranks && (relative & bit) == 0; bit *= 2) {
    const int child = relative + bit;
    if (child >= at.ranks) continue;
    const int count = std::min(bit, at.ranks - child);
    if (root) {
      receive_at_root(at, at.absolute(child), at.absolute(child), count, schedule);
      continue;
    }
    if (has == 1) schedule.copy(input, blocks(Where::kScratch, at, 0));
    schedule.receive(at.absolute(child), blocks(Where::kScratch, at, bit, count));
    has = bit + count;
  }
  if (!root) {
    schedule.send(at.absolute(relative - bit),
                  has == 1 ? input : blocks(Where::kScratch, at, 0, has));
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kGatherBinomial{
    .name = "gather@binomial",
    .collective = "gather",
    .summary = "gather by a binomial tree",
    .scratch = {.per_rank = 1},
    .steps = gather_binomial_steps,
};

}  // namespace invar::ops
