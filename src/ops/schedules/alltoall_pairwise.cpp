// alltoall by pairwise exchange: in every round a rank sends to one and receives from one; of a
// power of two of ranks these are the same (Thakur, Rabenseifner, Gropp 2005).
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps alltoall_pairwise_steps(const Position& at) {
  Schedule schedule;
  const bool pairs = power_below(at.ranks) == at.ranks;
  schedule.copy(blocks(Where::kInput, at, at.rank), blocks(Where::kResult, at, at.rank));
  for (int round = 1; round < at.ranks; ++round) {
    const int to = pairs ? at.rank ^ round : at.right(round);
    const int from = pairs ? at.rank ^ round : at.left(round);
    schedule.exchange(to, blocks(Where::kInput, at, to), from, blocks(Where::kResult, at, from));
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAlltoallPairwise{
    .name = "alltoall@pairwise",
    .collective = "alltoall",
    .summary = "alltoall by exchanges with one rank after the other",
    .chain = record::Chain::kRing,
    .in_place = false,
    .steps = alltoall_pairwise_steps,
};

}  // namespace invar::ops
