// How a cell's messages are sent and received: the levels of the factors of point-to-point
// operations, as values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/cell.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::record {

enum class SendMode : std::uint8_t { kStandard, kSynchronous, kReady, kBuffered };

enum class P2pForm : std::uint8_t {
  kBlocking,
  kNonBlocking,
  kPersistent,
  kSendrecv,      // MPI_Sendrecv
  kMatchedProbe,  // MPI_Mprobe and MPI_Mrecv
};

// Who makes one piece of an element with gaps: the datatype, a loop, MPI_Pack.
enum class Packing : std::uint8_t { kType, kByHand, kByMpi };

// What ranks do that stand by.
enum class Others : std::uint8_t { kAsleep, kReceiving, kComputing, kTraffic };

// Whose messages wait in a queue before a visit begins.
enum class QueueKind : std::uint8_t {
  kNone,
  kSamePeer,           // of the peer, on the operation's communicator
  kAnySource,          // there, of anybody
  kOtherCommunicator,  // of the peer, on another one
};

// As in plans; the levels of the factors.
constexpr std::array<std::string_view, 4> kSendModes{"standard", "synchronous", "ready",
                                                     "buffered"};
constexpr std::array<std::string_view, 5> kP2pForms{"blocking", "non-blocking", "persistent",
                                                    "sendrecv", "matched-probe"};
constexpr std::array<std::string_view, 3> kPackings{"type", "hand", "mpi"};
constexpr std::array<std::string_view, 4> kOthers{"asleep", "receiving", "computing", "traffic"};
constexpr std::array<std::string_view, 3> kColdSides{"both", "sender", "receiver"};
constexpr std::array<std::string_view, 2> kSpecificOrAny{"specific", "any"};
constexpr std::array<std::string_view, 2> kReceivesPosted{"in-call", "before"};
constexpr std::array<std::string_view, 4> kQueueKinds{"none", "same", "any", "other"};

constexpr std::string_view name_of(SendMode mode) {
  return kSendModes.at(static_cast<std::size_t>(mode));
}
constexpr std::string_view name_of(P2pForm form) {
  return kP2pForms.at(static_cast<std::size_t>(form));
}
constexpr std::string_view name_of(Packing packing) {
  return kPackings.at(static_cast<std::size_t>(packing));
}
constexpr std::string_view name_of(Others others) {
  return kOthers.at(static_cast<std::size_t>(others));
}

struct Queue {
  QueueKind kind = QueueKind::kNone;
  std::uint32_t count = 0;  // 1 to kMostQueued; 0 of kNone

  bool operator==(const Queue&) const = default;
};
constexpr std::uint32_t kMostQueued = 65536;

// "none", "same:16", "any:16", "other:16"; nothing for other texts.
std::optional<Queue> parse_queue(std::string_view text);
std::string queue_text(const Queue& queue);

// As people write them. Unexpected messages have a sender: none of them is of anybody.
LevelText pending_level(std::string_view written);
LevelText unexpected_level(std::string_view written);

// The largest window, and what an operation with windows has if nobody says more.
constexpr std::uint32_t kMostInWindow = 1024;
constexpr std::uint32_t kUsualWindow = 64;

struct P2pLevels {
  Pattern pattern = {};
  SendMode mode = SendMode::kStandard;
  P2pForm form = P2pForm::kBlocking;
  bool any_source = false;
  bool any_tag = false;
  bool posted = false;  // receives are posted before the repetition is synchronised
  Queue pending = {};
  Queue unexpected = {};
  std::uint32_t window = 1;
  Packing packing = Packing::kType;
  Others others = Others::kAsleep;
};

// The cell's pattern, or the usual one where it names none. Throws std::invalid_argument for a text
// that is none.
Pattern pattern_of(const Cell& cell, Messages messages);

// The cell's levels must have been checked: throws std::invalid_argument for a text that is not
// a level.
P2pLevels p2p_levels(const Cell& cell, Messages messages);

// Messages of one call that a rank has in one direction at most, each with a slot of its own in the
// buffers: window times peers. 1 where the operation sends no messages of its own.
std::uint64_t messages_of(const Cell& cell, Messages messages);
// Those of them that are packed by somebody else than the datatype, and so need room.
std::uint64_t packed_messages_of(const Cell& cell, Messages messages);

// A buffer for MPI_Bsend has room for the messages of so many calls: a library may keep a message's
// part of it until it has learned that the message arrived.
constexpr std::uint32_t kCallsInBuffer = 2;
// The messages that it has room for, on a rank that sends all that a rank may; 0 where nobody sends
// so.
std::uint64_t buffered_messages_of(const Cell& cell, Messages messages);

}  // namespace invar::record
