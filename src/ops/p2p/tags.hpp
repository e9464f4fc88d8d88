// Tags of messages between single ranks. None of them is that of another: a receive of one kind
// never gets a message of another kind, unless it asks for any tag, which only those of the
// operation itself do.
#pragma once

namespace invar::ops {

constexpr int kMessageTag = 1;     // of the operation
constexpr int kAckTag = 2;         // of its acknowledgements, on Peers::other
constexpr int kPendingTag = 3;     // that nobody ever sends
constexpr int kUnexpectedTag = 4;  // of messages that nobody receives before the visit is over
constexpr int kSeenTag = 5;        // of the one behind them, which is received
constexpr int kPostedTag = 6;      // "my receive is there", on Peers::other

}  // namespace invar::ops
