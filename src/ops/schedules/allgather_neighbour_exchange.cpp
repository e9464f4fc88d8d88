// allgather by neighbour exchange: pairs of blocks travel between neighbours, alternately to the
// left and to the right. p/2 rounds, for even p (Chen and others 2005).
#include <array>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

Steps allgather_neighbour_exchange_steps(const Position& at) {
  Schedule schedule;
  const bool even = at.rank % 2 == 0;
  const std::array<int, 2> neighbours{even ? at.right() : at.left(), even ? at.left() : at.right()};
  schedule.copy(whole(Where::kInput, at), blocks(Where::kResult, at, at.rank));
  schedule.exchange(neighbours[0], blocks(Where::kResult, at, at.rank), neighbours[0],
                    blocks(Where::kResult, at, neighbours[0]));
  // From here on the two blocks of an even rank and its right neighbour stay together. What comes
  // from a neighbour lies two ranks farther each time, away from where it came from.
  const int own_pair = even ? at.rank : at.rank - 1;
  int last_pair = own_pair;
  std::array<int, 2> pairs{own_pair, own_pair};
  const std::array<int, 2> strides{even ? 2 : -2, even ? -2 : 2};
  for (int round = 1; round < at.ranks / 2; ++round) {
    const auto side = static_cast<std::size_t>(round % 2);
    pairs[side] = (pairs[side] + strides[side] + at.ranks) % at.ranks;
    schedule.exchange(neighbours[side], blocks(Where::kResult, at, last_pair, 2), neighbours[side],
                      blocks(Where::kResult, at, pairs[side], 2));
    last_pair = pairs[side];
  }
  return schedule.take();
}

}  // namespace

extern constexpr Algorithm kAllgatherNeighbourExchange{
    .name = "allgather@neighbour-exchange",
    .collective = "allgather",
    .summary = "allgather by exchanges with both neighbours in turn",
    .chain = record::Chain::kRing,
    .rank_counts = record::RankCounts::kEven,
    .steps = allgather_neighbour_exchange_steps,
};

}  // namespace invar::ops
