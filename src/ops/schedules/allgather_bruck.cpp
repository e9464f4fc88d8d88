// allgather by Bruck's algorithm: doubling around the ring for any number of ranks, blocks counted
// from the own one on and put in order at the end (Bruck and others 1997, the concatenation).
#include <algorithm>
#include <array>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

constexpr std::array kAllgatherBruckPhases{
    Phase{.name = "exchange", .summary = "every rank has all blocks"},
    Phase{.name = "order", .summary = "and in the order of the ranks"}};

Steps allgather_bruck_steps(const Position& at) {
  Schedule schedule;
  schedule.copy(whole(Where::kInput, at), blocks(Where::kScratch, at, 0));
  for (int has = 1; has < at.ranks; has *= 2) {
    const int count = std::min(has, at.ranks - has);
    schedule.exchange(at.left(has), blocks(Where::kScratch, at, 0, count), at.right(has),
                      blocks(Where::kScratch, at, has, count));
  }
  schedule.begin_phase(1);
  const int to_last = at.ranks - at.rank;
  schedule.copy(blocks(Where::kScratch, at, 0, to_last),
                blocks(Where::kResult, at, at.rank, to_last));
  schedule.copy(blocks(Where::kScratch, at, to_last, at.rank),
                blocks(Where::kResult, at, 0, at.rank));
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAllgatherBruck{
    .name = "allgather@bruck",
    .collective = "allgather",
    .summary = "allgather by Bruck's doubling around the ring",
    .phases = kAllgatherBruckPhases,
    .scratch = {.per_rank = 1},
    .steps = allgather_bruck_steps,
};

}  // namespace invar::ops
