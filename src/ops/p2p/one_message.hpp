// A message of each pair: the rank that starts sends it by the call that its operation is named
// after, the other one receives it. The times are those of one rank's call, so that what the other
// one does is in them only as far as the call waits for it.
#pragma once

#include <span>

#include "ops/p2p/choose.hpp"
#include "ops/p2p/transfer.hpp"
#include "ops/p2p/untimed.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {

inline constexpr Time kSenderTime{.name = "sending",
                                  .summary = "of the sender: until it may use its buffer again",
                                  .kind = record::TimeKind::kOwn};
inline constexpr Time kReceiverTime{
    .name = "receiving",
    .summary = "of the receiver: MPI_Recv, or MPI_Wait for what was posted before",
    .kind = record::TimeKind::kOwn,
    .from_role = record::Role::kAnswers,
    .to_role = record::Role::kAnswers};

template <SendMode Mode>
int send_one(Call& c) {
  return send_now<Mode>(outgoing<Packing::kType>(c, 0), c.peers->to[0], c.comm);
}

template <bool Posted>
int receive_one(Call& c) {
  if constexpr (Posted) {
    return MPI_Wait(c.requests, MPI_STATUS_IGNORE);
  } else {
    const Peers& peers = *c.peers;
    return receive_now(incoming<Packing::kType>(c, 0), peers.source(0), peers.tag, c.comm);
  }
}

template <int (*Send)(Call&), bool Posted>
int one_message(Call& c) {
  return c.role == record::Role::kStarts ? Send(c) : receive_one<Posted>(c);
}

template <int (*Send)(Call&)>
MessageCalls calls_of_one_message(const record::P2pLevels& levels) {
  return {.call = levels.posted ? one_message<Send, true> : one_message<Send, false>};
}

// Never in batches: in a row such calls are a stream, whose gap is another time (train.cpp).
template <int (*Send)(Call&)>
constexpr Operation one_message_operation(const char* name, const char* summary,
                                          std::span<const Time> times) {
  return {.name = name,
          .summary = summary,
          .chain = record::Chain::kOne,
          .buffers = kMessagesToMessages,
          .requests = requests_for(1, 1),
          .messages = record::Messages::kPairs,
          .overheads = true,
          .chooses = record::CallChoice::kReceives,
          .of_cell = of_levels<calls_of_one_message<Send>>,
          .batches = false,
          .times = times,
          .call = one_message<Send, false>,
          .behind_untimed = acknowledge_untimed,
          .verify = slots_of_senders};
}

}  // namespace invar::ops
