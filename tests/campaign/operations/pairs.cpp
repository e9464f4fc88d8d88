// A message from each sender to its receiver, written as a user would: who they are is told by each
// cell's pattern. tests/campaign/p2p/described_pairs_test.py measures it.
#include <array>

#include "ops/p2p/tags.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

// In a ring every rank does both: the receives are there before anybody sends.
int call_pairs(Call& c) {
  const Peers& peers = *c.peers;
  const std::size_t block_bytes = static_cast<std::size_t>(c.count) * c.element->extent_bytes;
  int error = MPI_SUCCESS;
  for (std::size_t i = 0; i < peers.from.size() && error == MPI_SUCCESS; ++i) {
    error = MPI_Irecv(c.recv + peers.slot(i, 0) * block_bytes, c.count, c.type, peers.source(i),
                      peers.tag, c.comm, &c.requests[i]);
  }
  for (std::size_t i = 0; i < peers.to.size() && error == MPI_SUCCESS; ++i) {
    error = MPI_Send(c.send + peers.slot(i, 0) * block_bytes, c.count, c.type, peers.to[i],
                     kMessageTag, c.comm);
  }
  if (error != MPI_SUCCESS) return error;
  return MPI_Waitall(static_cast<int>(peers.from.size()), c.requests, MPI_STATUSES_IGNORE);
}

int acknowledge_pairs(Call& c) {
  const Peers& peers = *c.peers;
  int error = MPI_SUCCESS;
  for (std::size_t i = 0; i < peers.from.size() && error == MPI_SUCCESS; ++i) {
    error = MPI_Send(nullptr, 0, MPI_BYTE, peers.from[i], kAckTag, peers.other);
  }
  for (std::size_t i = 0; i < peers.to.size() && error == MPI_SUCCESS; ++i) {
    error = MPI_Recv(nullptr, 0, MPI_BYTE, peers.to[i], kAckTag, peers.other, MPI_STATUS_IGNORE);
  }
  return error;
}

// Only pairs and rings are looked at: there everybody has one slot.
void block_of_the_sender(const Call& c, Checker& checker) {
  const std::uint64_t elements = block_elements(c, c.rank);
  if (c.peers->from.empty()) {
    checker.expect_untouched(0, elements);
  } else {
    checker.expect_block(0, c.peers->from[0], 0, elements);
  }
}

constexpr std::array kPairTimes{Time{.name = "sending",
                                     .summary = "of the sender that takes longest",
                                     .kind = record::TimeKind::kOwn},
                                Time{.name = "way",
                                     .summary = "from the first start to the last end",
                                     .kind = record::TimeKind::kAcross,
                                     .to_role = record::Role::kAnswers},
                                Time{.name = "pair",
                                     .summary = "from a sender's start to its receiver's end",
                                     .kind = record::TimeKind::kPair,
                                     .to_role = record::Role::kAnswers}};

}  // namespace

extern constexpr Operation kPairs{
    .name = "pairs",
    .summary = "a message from each sender to its receiver",
    .chain = record::Chain::kOne,
    .buffers = kMessagesToMessages,
    .requests = 1,
    .messages = record::Messages::kDirected,
    .batches = false,
    .times = kPairTimes,
    .call = call_pairs,
    .behind_untimed = acknowledge_pairs,
    .verify = block_of_the_sender,
};

}  // namespace invar::ops
