// allgather by recursive doubling: what a rank has doubles with every exchange. log2(p) rounds, for
// powers of two (Thakur, Rabenseifner, Gropp 2005).
#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps allgather_recursive_doubling_steps(const Position& at) {
  Schedule schedule;
  schedule.copy(whole(Where::kInput, at), blocks(Where::kResult, at, at.rank));
  for (int has = 1; has < at.ranks; has *= 2) {
    const int partner = at.rank ^ has;
    // The group of so many ranks that each is in begins at a multiple of it.
    const auto group = [&](int rank) { return blocks(Where::kResult, at, rank / has * has, has); };
    schedule.exchange(partner, group(at.rank), partner, group(partner));
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAllgatherRecursiveDoubling{
    .name = "allgather@recursive-doubling",
    .collective = "allgather",
    .summary = "allgather by recursive doubling",
    .rank_counts = record::RankCounts::kPowerOfTwo,
    .steps = allgather_recursive_doubling_steps,
};

}  // namespace invar::ops
