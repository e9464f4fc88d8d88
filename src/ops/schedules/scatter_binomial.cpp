// scatter by a binomial tree that begins at the root: the blocks of a subtree travel together.
// log2(p) rounds (Thakur, Rabenseifner, Gropp 2005).
#include <algorithm>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

// The root's blocks of the ranks from `first` on, which may go on with rank 0.
void send_from_root(const Position& at, int child, int count, Schedule& schedule) {
  const int to_last = std::min(count, at.ranks - child);
  if (to_last == count) {
    schedule.send(child, blocks(Where::kInput, at, child, count), Wait::kNone);
    return;
  }
  schedule.copy(blocks(Where::kInput, at, child, to_last), blocks(Where::kScratch, at, 0, to_last));
  schedule.copy(blocks(Where::kInput, at, 0, count - to_last),
                blocks(Where::kScratch, at, to_last, count - to_last));
  schedule.send(child, blocks(Where::kScratch, at, 0, count), Wait::kNone);
}

Steps scatter_binomial_steps(const Position& at) {
  Schedule schedule;
  const int relative = at.relative();
  const bool root = relative == 0;
  const Piece result = whole(Where::kResult, at);
  int bit = 1;
  while (bit < at.ranks && (relative & bit) == 0) bit *= 2;
  const int subtree = std::min(bit, at.ranks - relative);
  const bool leaf = !root && subtree == 1;
  if (!root) {
    schedule.receive(at.absolute(relative - bit),
                     leaf ? result : blocks(Where::kScratch, at, 0, subtree));
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    const int child = relative + bit;
    if (child >= at.ranks) continue;
    const int count = std::min(bit, at.ranks - child);
    if (root) {
      send_from_root(at, at.absolute(child), count, schedule);
    } else {
      schedule.send(at.absolute(child), blocks(Where::kScratch, at, bit, count), Wait::kNone);
    }
  }
  if (root && !at.in_place) schedule.copy(blocks(Where::kInput, at, at.rank), result);
  if (!root && !leaf) schedule.copy(blocks(Where::kScratch, at, 0), result);
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kScatterBinomial{
    .name = "scatter@binomial",
    .collective = "scatter",
    .summary = "scatter by a binomial tree",
    .scratch = {.per_rank = 1},
    .steps = scatter_binomial_steps,
};

}  // namespace invar::ops
