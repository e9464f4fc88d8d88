#include "design/plan/call_limits.hpp"

#include <algorithm>

#include "record/operation/distribution.hpp"
#include "record/p2p/levels.hpp"

namespace invar::design {

std::uint64_t most_blocks(const record::OperationInfo& info, const record::Cell& cell) {
  const bool in_place = cell.in_place == "yes";
  const std::uint64_t messages = record::messages_of(cell, info.messages);
  const std::uint64_t packed = record::packed_messages_of(cell, info.messages);
  std::uint64_t most = info.arrays == record::Arrays::kNone ? 1 : cell.ranks;
  for (const bool root : {false, true}) {
    const record::Buffers& buffers = info.buffers.on(root, in_place);
    for (const record::Blocks& length : {buffers.send, buffers.recv, buffers.scratch}) {
      most = std::max(most, length.constant + std::uint64_t{length.per_rank} * cell.ranks +
                                length.per_neighbour * record::neighbours_in(cell.topology) +
                                length.shares + std::uint64_t{length.shares_per_rank} +
                                length.per_message * messages + length.per_packed * packed);
    }
  }
  return most;
}

std::string too_large_number(const record::OperationInfo& info, const record::Cell& cell,
                             const record::DatatypeInfo& type, std::uint64_t size_bytes) {
  if (info.large_counts) return {};
  const std::uint64_t counted =
      info.counted.elements({.elements = size_bytes / type.size_bytes, .ranks = cell.ranks}) *
      (info.counts_bytes ? type.extent_bytes : 1);
  if (counted > kMaxCount) return "a count of " + std::to_string(counted);
  if (info.arrays == record::Arrays::kNone) return {};
  const auto distribution = record::parse_distribution(cell.distribution);
  const record::BlockLengths lengths(distribution.value_or(record::Distribution{}),
                                     size_bytes / type.size_bytes, cell.ranks);
  const std::uint64_t largest = lengths.largest();
  if (largest > kMaxCount) return "a block of " + std::to_string(largest) + " elements";
  if (info.reduces) {
    return lengths.all() <= kMaxCount
               ? ""
               : "a vector of " + std::to_string(lengths.all()) + " elements";
  }
  const bool typed = info.arrays == record::Arrays::kTyped;
  if (typed && info.neighbours) return {};  // takes addresses
  const std::uint64_t before =
      info.neighbours ? largest * (record::neighbours_in(cell.topology) - 1)
                      : lengths.before_last(info.distributes == record::Distributes::kPairs);
  const std::uint64_t most = before * (typed ? type.extent_bytes : 1);
  if (most <= kMaxCount) return {};
  return "displacements up to " + std::to_string(most) + (typed ? " bytes" : " elements");
}

}  // namespace invar::design
