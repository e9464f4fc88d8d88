// allgather around a ring: every rank passes on what came last. p - 1 rounds, a block in each
// (Thakur, Rabenseifner, Gropp 2005).
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps allgather_ring_steps(const Position& at) {
  Schedule schedule;
  schedule.copy(whole(Where::kInput, at), blocks(Where::kResult, at, at.rank));
  for (int round = 0; round + 1 < at.ranks; ++round) {
    schedule.exchange(at.right(), blocks(Where::kResult, at, at.left(round)), at.left(),
                      blocks(Where::kResult, at, at.left(round + 1)));
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAllgatherRing{
    .name = "allgather@ring",
    .collective = "allgather",
    .summary = "allgather around a ring",
    .chain = record::Chain::kRing,
    .steps = allgather_ring_steps,
};

}  // namespace invar::ops
