// What message number n of a stress run is. Everything follows from seed, kind and number, so that
// both ranks know it without a word, and so does whoever repeats it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.hpp"
#include "ops/stress/stress_patterns.hpp"
#include "record/stress/stress_order.hpp"
#include "record/stress/stress_sizes.hpp"

namespace invar::ops {

enum class SendCall : std::uint8_t { kSend, kIsend, kIssend, kStart, kSendrecv };
enum class ReceiveCall : std::uint8_t { kIrecv, kStart, kRecv, kMrecv, kSendrecv };

// By which calls a message goes.
struct StressWay {
  std::string_view name;  // "isend -> irecv"
  SendCall send = SendCall::kIsend;
  ReceiveCall receive = ReceiveCall::kIrecv;
  // The receive is posted long before, when there is a slot for it; else when its turn comes, so
  // that the message may have to wait. Nobody blocks in a send of the latter.
  bool early = true;
};

struct StressMessage {
  record::StressKind kind = record::StressKind::kPairs;
  std::uint64_t number = 0;
  std::uint32_t size_bytes = 0;
  const StressWay* way = nullptr;
  int tag = 0;
  // What the receive says, where it is the only one that can come.
  bool any_tag = false;
  bool any_source = false;
  bool longer = false;       // the receive takes kStressRoomBytes more than come
  bool looked_back = false;  // the sender looks whether what it sent is still there
  // Where in a cache line it begins, on either side.
  std::uint32_t send_shift = 0;
  std::uint32_t receive_shift = 0;
};

// Whom a rank sends a message to, and from whom it gets the one of the same number; -1: from
// nobody.
struct StressPeers {
  int to = -1;
  int from = -1;
};

// In pairs everybody stays with one partner for so many messages.
constexpr std::uint64_t kMessagesOfAMatching = 1024;

class StressPlan {
 public:
  explicit StressPlan(const record::StressOrder& order);

  [[nodiscard]] StressMessage message(record::StressKind kind, std::uint64_t number) const;
  [[nodiscard]] StressPeers peers(record::StressKind kind, std::uint64_t number, int rank) const;
  // What the message from one to the other holds.
  [[nodiscard]] StressContent content(record::StressKind kind, std::uint64_t number, int from,
                                      int to) const;
  // Draws for a collective, the same on all ranks.
  [[nodiscard]] base::Random draws(std::uint64_t number) const;
  [[nodiscard]] std::uint32_t size_bytes(base::Random& random) const;
  // Messages that all ranks together receive under this number.
  [[nodiscard]] std::uint64_t messages_of(record::StressKind kind) const;
  [[nodiscard]] int ranks() const { return ranks_; }

 private:
  std::uint64_t seed_;
  int ranks_;
  record::StressSizes sizes_;
};

}  // namespace invar::ops
