// bcast along a chain of ranks, segment by segment: while a rank passes one segment on, the next
// one comes in (Pjesivac-Grbovic and others 2007, "chain" and "pipeline").
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps bcast_chain_steps(const Position& at) {
  Schedule schedule;
  const Piece vector = whole(Where::kResult, at);
  const std::uint64_t segments = segments_of(at.elements, at.segment);
  const auto segment = [&](std::uint64_t number) { return segment_of(vector, at.segment, number); };
  const bool first = at.relative() == 0;
  const bool last = at.relative() == at.ranks - 1;
  if (first && last) return schedule.take();
  if (!first) schedule.receive(at.left(), segment(0), Wait::kNone);
  for (std::uint64_t number = 0; number < segments; ++number) {
    if (!first) {
      // This segment has come, and the one before has gone.
      if (number + 1 < segments) {
        schedule.receive(at.left(), segment(number + 1), Wait::kEarlier);
      } else {
        schedule.wait_for_all();
      }
    }
    // The root has nothing to wait for but the segment before.
    if (!last) schedule.send(at.right(), segment(number), first ? Wait::kEarlier : Wait::kNone);
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kBcastChain{
    .name = "bcast@chain",
    .collective = "bcast",
    .summary = "bcast along a chain of ranks, in segments",
    .chain = record::Chain::kRing,
    .segments = record::Segments::kOfBlock,
    .one_vector = true,
    .steps = bcast_chain_steps,
};

}  // namespace invar::ops
