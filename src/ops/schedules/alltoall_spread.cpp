// alltoall with all messages at once, each rank beginning with its right neighbour, so that not all
// of them send to the same rank (Thakur, Rabenseifner, Gropp 2005).
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps alltoall_spread_steps(const Position& at) {
  Schedule schedule;
  for (int distance = 1; distance < at.ranks; ++distance) {
    const int from = at.left(distance);
    schedule.receive(from, blocks(Where::kResult, at, from), Wait::kNone);
  }
  for (int distance = 1; distance < at.ranks; ++distance) {
    const int to = at.right(distance);
    schedule.send(to, blocks(Where::kInput, at, to), Wait::kNone);
  }
  schedule.copy(blocks(Where::kInput, at, at.rank), blocks(Where::kResult, at, at.rank));
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAlltoallSpread{
    .name = "alltoall@spread",
    .collective = "alltoall",
    .summary = "alltoall with all messages at once",
    .chain = record::Chain::kOne,
    .in_place = false,
    .steps = alltoall_spread_steps,
};

}  // namespace invar::ops
