// alltoall by Bruck's algorithm: in round k all blocks whose way has bit k set travel 2^k ranks to
// the right together. log2(p) messages of half of all blocks each (Bruck and others 1997, the index
// operation).
#include <algorithm>
#include <array>
#include <vector>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

constexpr std::array kAlltoallBruckPhases{
    Phase{.name = "rotate", .summary = "blocks lie by how far they have to go"},
    Phase{.name = "exchange", .summary = "all blocks have come"},
    Phase{.name = "order", .summary = "and lie in the order of the ranks"}};

// Blocks first ... first + count - 1.
struct Run {
  int first;
  int count;
};

// Distances below `ranks` that have the bit set, as runs of adjacent ones.
std::vector<Run> runs_with(int bit, int ranks) {
  std::vector<Run> runs;
  for (int first = bit; first < ranks; first += 2 * bit) {
    runs.push_back({first, std::min(bit, ranks - first)});
  }
  return runs;
}

// Scratch: the blocks by distance, then those that leave together, then those that came.
Steps alltoall_bruck_steps(const Position& at) {
  Schedule schedule;
  const int to_last = at.ranks - at.rank;
  schedule.copy(blocks(Where::kInput, at, at.rank, to_last),
                blocks(Where::kScratch, at, 0, to_last));
  schedule.copy(blocks(Where::kInput, at, 0, at.rank),
                blocks(Where::kScratch, at, to_last, at.rank));
  schedule.begin_phase(1);
  const int leaving = at.ranks;
  const int coming = at.ranks + at.ranks / 2;
  for (int bit = 1; bit < at.ranks; bit *= 2) {
    const std::vector<Run> runs = runs_with(bit, at.ranks);
    int packed = 0;
    for (const Run& run : runs) {
      schedule.copy(blocks(Where::kScratch, at, run.first, run.count),
                    blocks(Where::kScratch, at, leaving + packed, run.count));
      packed += run.count;
    }
    schedule.exchange(at.right(bit), blocks(Where::kScratch, at, leaving, packed), at.left(bit),
                      blocks(Where::kScratch, at, coming, packed));
    packed = 0;
    for (const Run& run : runs) {
      schedule.copy(blocks(Where::kScratch, at, coming + packed, run.count),
                    blocks(Where::kScratch, at, run.first, run.count));
      packed += run.count;
    }
  }
  schedule.begin_phase(2);
  // What has come so far is of the rank so far to the left.
  for (int distance = 0; distance < at.ranks; ++distance) {
    schedule.copy(blocks(Where::kScratch, at, distance),
                  blocks(Where::kResult, at, at.left(distance)));
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAlltoallBruck{
    .name = "alltoall@bruck",
    .collective = "alltoall",
    .summary = "alltoall by Bruck's log2(p) messages",
    .phases = kAlltoallBruckPhases,
    .scratch = {.per_rank = 2},
    .in_place = false,
    .steps = alltoall_bruck_steps,
};

}  // namespace invar::ops
