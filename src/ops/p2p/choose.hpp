// Which functions a cell of an operation with messages calls: chosen once, by its levels.
#pragma once

#include "ops/operation.hpp"

namespace invar::ops {

struct MessageCalls {
  int (*call)(Call&) = nullptr;
  // Only forms that have two parts, non-blocking and persistent, have these. Null: none.
  int (*start)(Call&) = nullptr;
  int (*finish)(Call&) = nullptr;
  int (*prepare)(Call&) = nullptr;  // of persistent ones
};

// All messages of a rank to its peers and of theirs to it (all_messages.hpp), and the same with an
// acknowledgement in the end.
MessageCalls calls_of_messages(const record::P2pLevels& levels);
MessageCalls calls_of_streams(const record::P2pLevels& levels);
// There and back (ping_pong.hpp).
MessageCalls calls_of_ping_pongs(const record::P2pLevels& levels);

// The operation as the cell calls it, by one of these; with the requests that it then needs, and
// with what goes before and behind calls that nobody times (untimed.hpp).
Operation called_as(const Operation& operation, const record::Cell& cell,
                    MessageCalls (*calls)(const record::P2pLevels&));

// Operation::of_cell.
template <MessageCalls (*Calls)(const record::P2pLevels&)>
Operation of_levels(const Operation& operation, const record::Cell& cell) {
  return called_as(operation, cell, Calls);
}

// What MPI_Pack needs beyond what a slot has room for; nothing, for all that is known. As
// Operation::equip.
Equipped room_for_packing(const Call& call);

// Requests that a rank holds of a call with so many messages in one direction to so many peers:
// messages both ways, and a note (notes.hpp) of each peer.
constexpr std::uint32_t requests_for(std::uint32_t messages, std::uint32_t peers) {
  return 2 * messages + peers;
}

}  // namespace invar::ops
