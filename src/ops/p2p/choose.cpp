#include "ops/p2p/choose.hpp"

#include <string>

#include "ops/p2p/all_messages.hpp"
#include "ops/p2p/ping_pong.hpp"
#include "ops/p2p/untimed.hpp"
#include "record/p2p/message_factors.hpp"

namespace invar::ops {
namespace {

// The kinds of calls, each with its functions of a mode and a packing.

template <bool Acknowledged>
struct AllMessages {
  template <SendMode Mode, Packing How, bool Posted>
  static MessageCalls of(P2pForm form) {
    switch (form) {
      case P2pForm::kBlocking:
        return {.call = kEnding<all_blocking<Mode, How, Posted>>};
      case P2pForm::kNonBlocking:
        return in_parts<start_non_blocking<Mode, How, Posted>, kEnding<finish_all<How>>>();
      case P2pForm::kPersistent: {
        MessageCalls calls = in_parts<start_persistent<How, Posted>, kEnding<finish_all<How>>>();
        calls.prepare = prepare_messages<Mode, How>;
        return calls;
      }
      case P2pForm::kSendrecv:
        return {.call = kEnding<all_by_sendrecv<How>>};
      case P2pForm::kMatchedProbe:
        return {.call = kEnding<all_probed<Mode, How>>};
    }
    return {};
  }

 private:
  template <int (*Last)(Call&)>
  static constexpr int (*kEnding)(Call&) = Acknowledged ? acknowledged<Last> : Last;

  template <int (*Start)(Call&), int (*Finish)(Call&)>
  static MessageCalls in_parts() {
    return {.call = start_and_finish<Start, Finish>, .start = Start, .finish = Finish};
  }
};

struct PingPongs {
  template <SendMode Mode, Packing How, bool Posted>
  static MessageCalls of(P2pForm form) {
    switch (form) {
      case P2pForm::kBlocking:
        return {.call = ping_pong<Mode, P2pForm::kBlocking, How, Posted>};
      case P2pForm::kNonBlocking:
        return {.call = ping_pong<Mode, P2pForm::kNonBlocking, How, Posted>};
      case P2pForm::kPersistent:
        return {.call = ping_pong<Mode, P2pForm::kPersistent, How, Posted>,
                .prepare = prepare_messages<Mode, How>};
      case P2pForm::kSendrecv:
        return {.call = ping_by_sendrecv<How>};
      case P2pForm::kMatchedProbe:
        return {.call = ping_pong<Mode, P2pForm::kMatchedProbe, How, false>};
    }
    return {};
  }
};

template <typename Kind, SendMode Mode, Packing How>
MessageCalls calls_with(const record::P2pLevels& levels) {
  return levels.posted ? Kind::template of<Mode, How, true>(levels.form)
                       : Kind::template of<Mode, How, false>(levels.form);
}

template <typename Kind, SendMode Mode>
MessageCalls calls_in_mode(const record::P2pLevels& levels) {
  switch (levels.packing) {
    case Packing::kType:
      return calls_with<Kind, Mode, Packing::kType>(levels);
    case Packing::kByHand:
      return calls_with<Kind, Mode, Packing::kByHand>(levels);
    case Packing::kByMpi:
      return calls_with<Kind, Mode, Packing::kByMpi>(levels);
  }
  return {};
}

template <typename Kind>
MessageCalls calls_of_kind(const record::P2pLevels& levels) {
  switch (levels.mode) {
    case SendMode::kStandard:
      return calls_in_mode<Kind, SendMode::kStandard>(levels);
    case SendMode::kSynchronous:
      return calls_in_mode<Kind, SendMode::kSynchronous>(levels);
    case SendMode::kReady:
      return calls_in_mode<Kind, SendMode::kReady>(levels);
    case SendMode::kBuffered:
      return calls_in_mode<Kind, SendMode::kBuffered>(levels);
  }
  return {};
}

}  // namespace

MessageCalls calls_of_messages(const record::P2pLevels& levels) {
  return calls_of_kind<AllMessages<false>>(levels);
}

MessageCalls calls_of_streams(const record::P2pLevels& levels) {
  return calls_of_kind<AllMessages<true>>(levels);
}

MessageCalls calls_of_ping_pongs(const record::P2pLevels& levels) {
  return calls_of_kind<PingPongs>(levels);
}

Operation called_as(const Operation& operation, const record::Cell& cell,
                    MessageCalls (*calls)(const record::P2pLevels&)) {
  const record::P2pLevels levels = record::p2p_levels(cell, operation.messages);
  const MessageCalls chosen = calls(levels);
  Operation called = operation;
  called.call = chosen.call;
  called.start = chosen.start;
  called.finish = chosen.finish;
  called.prepare = chosen.prepare;
  called.requests =
      requests_for(static_cast<std::uint32_t>(record::messages_of(cell, operation.messages)),
                   record::most_peers(levels.pattern));
  if (needs_preparing(levels)) called.before_untimed = prepare_untimed;
  if (levels.mode == SendMode::kBuffered && operation.behind_untimed == nullptr) {
    called.behind_untimed = end_untimed;
  }
  if (operation.messages == record::Messages::kPartners && operation.behind_untimed == nullptr &&
      record::takes_from_several(cell, operation.messages)) {
    // Who begins its next call early would give it to receives that others are waited for by, and
    // of long messages all may wait for each other in a circle.
    called.behind_untimed = acknowledge_untimed;
  }
  if (levels.packing != Packing::kType) {
    // What is packed is counted in bytes.
    called.counts_bytes = true;
    called.equip = room_for_packing;
  }
  return called;
}

Equipped room_for_packing(const Call& call) {
  int bytes = 0;
  const int error = MPI_Pack_size(call.count, call.type, call.comm, &bytes);
  if (error != MPI_SUCCESS) return {.refused = "MPI_Pack_size returned an error"};
  if (static_cast<std::size_t>(bytes) <= slot_bytes(call)) return {};
  return {.refused = "this library packs " + std::to_string(call.block_bytes) +
                     " bytes of data into " + std::to_string(bytes) + ", more than the " +
                     std::to_string(slot_bytes(call)) + " of a slot"};
}

}  // namespace invar::ops
