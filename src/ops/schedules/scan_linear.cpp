// scan from rank to rank: each waits for the result of the rank on its left. p - 1 rounds in a row.
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps scan_linear_steps(const Position& at) {
  Schedule schedule;
  const Piece result = whole(Where::kResult, at);
  schedule.copy(whole(Where::kInput, at), result);
  if (at.rank > 0) {
    schedule.receive(at.rank - 1, whole(Where::kScratch, at));
    schedule.reduce(whole(Where::kScratch, at), result);
  }
  if (at.rank + 1 < at.ranks) schedule.send(at.rank + 1, result);
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kScanLinear{
    .name = "scan@linear",
    .collective = "scan",
    .summary = "scan from rank to rank",
    .scratch = {.constant = 1},
    .chain = record::Chain::kRing,
    .steps = scan_linear_steps,
};

}  // namespace invar::ops
