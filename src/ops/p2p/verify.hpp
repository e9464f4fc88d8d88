// What recv must hold after calls that send messages between single ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/operation.hpp"
#include "ops/verify.hpp"

namespace invar::ops {

// A message of the call as its sender knows it.
struct SentMessage {
  int source = 0;
  std::uint64_t slot = 0;  // of the sender's buffer

  bool operator==(const SentMessage&) const = default;
};

// Which message each slot of this rank's recv gets, in the order of the slots, where receives name
// their sources: messages of one rank come in the order in which it sends them, which is that of
// its slots, and meet the receives in the order in which these are made.
std::vector<SentMessage> messages_of_slots(const Call& call);

// Each slot what its sender sent, and nothing in those that no message is for. Where receives take
// what comes from several sources it is left open who was first, but not the order of one source's
// messages; that too where short messages of many sources look alike in too many ways.
void slots_of_senders(const Call& call, Checker& checker);
// The own block on ranks that start, nothing on others.
void copied_by_those_who_start(const Call& call, Checker& checker);

}  // namespace invar::ops
