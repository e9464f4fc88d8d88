#include "ops/stress/stress_messages.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "ops/buffers/memory.hpp"
#include "ops/call/agree.hpp"

namespace invar::ops {
namespace {

namespace fault_words = record::stress_fault;

constexpr std::size_t kZoneInFront = record::kStressGuardBytes;
constexpr std::size_t kZoneBehind = record::kStressGuardBytes + record::kStressRoomBytes;

// What stands around every message that is to come.
constexpr auto kZones = [] {
  std::array<std::byte, kZoneInFront + kZoneBehind> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(29 * i + 7);
  return bytes;
}();

// Messages in whose place one may have come.
constexpr std::uint64_t kNearMessages = 64;

MPI_Comm stress_communicator(MPI_Comm world) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

// "length 8 instead of 16".
std::string instead_text(const char* what, std::int64_t found, std::int64_t wanted) {
  return std::string(what) + " " + std::to_string(found) + " instead of " + std::to_string(wanted);
}

}  // namespace

StressMessages::StressMessages(MPI_Comm world, const record::StressOrder& order,
                               const StressPlan& plan, record::StressState& state,
                               TellStressFault tell)
    : plan_(plan),
      state_(state),
      tell_(std::move(tell)),
      yields_(order.oversubscribe),
      early_(stress_communicator(world)),
      late_(stress_communicator(world)),
      sending_(record::stress_slots(order)),
      receiving_(record::stress_slots(order)) {
  MPI_Comm_rank(world, &rank_);
  const std::uint64_t bytes = record::stress_slot_bytes(order);
  for (std::vector<Slot>* slots : {&sending_, &receiving_}) {
    for (Slot& slot : *slots) {
      // Written once, so that no page is the kernel's page of zeros.
      slot.memory = std::make_unique<std::byte[]>(bytes);
      std::memset(slot.memory.get(), 1, bytes);
      const auto past = reinterpret_cast<std::uintptr_t>(slot.memory.get()) % kLineBytes;
      slot.begin = slot.memory.get() + (kLineBytes - past) % kLineBytes;
    }
  }
}

StressMessages::~StressMessages() {
  // Others do not take part while an error unwinds.
  if (std::uncaught_exceptions() > 0) return;
  MPI_Comm_free(&early_);
  MPI_Comm_free(&late_);
}

void StressMessages::say(record::StressDoing doing, const Slot& slot, bool received) {
  const StressMessage& message = slot.message;
  state_.now({.doing = doing,
              .kind = message.kind,
              .message = message.number,
              .size_bytes = message.size_bytes,
              .from = received ? slot.peers.from : rank_,
              .to = received ? rank_ : slot.peers.to,
              .operation = message.way->name.data(),
              .pattern = name_of(slot.content.pattern).data()});
}

record::StressFault StressMessages::fault_of(const Slot& slot, bool received,
                                             std::string_view fault, std::string what) const {
  const StressMessage& message = slot.message;
  return {.fault = std::string(fault),
          .kind = std::string(record::name_of(message.kind)),
          .operation = std::string(message.way->name),
          .pattern = std::string(name_of(slot.content.pattern)),
          .what = std::move(what),
          .size_bytes = message.size_bytes,
          .message = message.number,
          .from = static_cast<std::uint32_t>(received ? slot.peers.from : rank_),
          .to = static_cast<std::uint32_t>(received ? rank_ : slot.peers.to),
          .rank = static_cast<std::uint32_t>(rank_)};
}

void StressMessages::need(const Slot& slot, bool received, const char* call, int code) {
  if (code == MPI_SUCCESS) return;
  const std::string text = mpi_error_text(call, code);
  tell_(fault_of(slot, received, fault_words::kError, text));
  throw std::runtime_error(text);
}

// Where ranks share a core, the one that is waited for needs it.
void StressMessages::wait(const Slot& slot, MPI_Request& request, MPI_Status* status,
                          const char* call, record::StressDoing doing) {
  const bool received = doing == record::StressDoing::kReceiving;
  if (!yields_) {
    need(slot, received, call, MPI_Wait(&request, status));
    return;
  }
  for (int done = 0;;) {
    need(slot, received, call, MPI_Test(&request, &done, status));
    if (done != 0) return;
    sched_yield();
  }
}

void StressMessages::send(Slot& slot, const StressMessage& message, const StressPeers& peers) {
  finish_send(slot);
  slot.message = message;
  slot.peers = peers;
  slot.content = plan_.content(message.kind, message.number, rank_, peers.to);
  slot.used = true;
  say(record::StressDoing::kSending, slot, false);
  std::byte* const data = slot.data(message.send_shift);
  write_content(std::span(data, message.size_bytes), slot.content);
  const auto count = static_cast<int>(message.size_bytes);
  const MPI_Comm comm = message.way->early ? early_ : late_;
  switch (message.way->send) {
    case SendCall::kSend:
      need(slot, false, "MPI_Send", MPI_Send(data, count, MPI_BYTE, peers.to, message.tag, comm));
      break;
    case SendCall::kIsend:
      need(slot, false, "MPI_Isend",
           MPI_Isend(data, count, MPI_BYTE, peers.to, message.tag, comm, &slot.request));
      break;
    case SendCall::kIssend:
      need(slot, false, "MPI_Issend",
           MPI_Issend(data, count, MPI_BYTE, peers.to, message.tag, comm, &slot.request));
      break;
    case SendCall::kStart:
      need(slot, false, "MPI_Send_init",
           MPI_Send_init(data, count, MPI_BYTE, peers.to, message.tag, comm, &slot.request));
      need(slot, false, "MPI_Start", MPI_Start(&slot.request));
      break;
    case SendCall::kSendrecv:
      break;  // receive() sends it
  }
}

void StressMessages::finish_send(Slot& slot) {
  if (!std::exchange(slot.used, false)) return;
  if (slot.request != MPI_REQUEST_NULL) {
    say(record::StressDoing::kSending, slot, false);
    wait(slot, slot.request, MPI_STATUS_IGNORE, "MPI_Wait", record::StressDoing::kSending);
    // A persistent one stays.
    if (slot.request != MPI_REQUEST_NULL) {
      need(slot, false, "MPI_Request_free", MPI_Request_free(&slot.request));
    }
  }
  if (!slot.message.looked_back) return;
  const std::span<const std::byte> data(slot.data(slot.message.send_shift),
                                        slot.message.size_bytes);
  const std::optional<StressDifference> difference = difference_of(data, slot.content, {});
  if (!difference) return;
  record::StressFault fault = fault_of(slot, false, fault_words::kSendBuffer,
                                       "what was sent has changed: " + difference->what);
  fault.offset_bytes = static_cast<std::int64_t>(difference->offset_bytes);
  fault.expected = difference->expected;
  fault.found = difference->found;
  tell_(fault);
}

void StressMessages::prepare(Slot& slot, const StressMessage& message, const StressPeers& peers) {
  slot.message = message;
  slot.peers = peers;
  slot.content = plan_.content(message.kind, message.number, peers.from, rank_);
  std::byte* const data = slot.data(message.receive_shift);
  write_content(std::span(data, message.size_bytes), slot.content.poison());
  std::memcpy(data - kZoneInFront, kZones.data(), kZoneInFront);
  std::memcpy(data + message.size_bytes, kZones.data() + kZoneInFront, kZoneBehind);
  if (!message.way->early) return;
  say(record::StressDoing::kPosting, slot, true);
  const auto count =
      static_cast<int>(message.size_bytes + (message.longer ? record::kStressRoomBytes : 0));
  const int source = message.any_source ? MPI_ANY_SOURCE : peers.from;
  const int tag = message.any_tag ? MPI_ANY_TAG : message.tag;
  if (message.way->receive == ReceiveCall::kIrecv) {
    need(slot, true, "MPI_Irecv",
         MPI_Irecv(data, count, MPI_BYTE, source, tag, early_, &slot.request));
  } else {
    need(slot, true, "MPI_Recv_init",
         MPI_Recv_init(data, count, MPI_BYTE, source, tag, early_, &slot.request));
    need(slot, true, "MPI_Start", MPI_Start(&slot.request));
  }
}

void StressMessages::receive(Slot& slot, Slot& outgoing) {
  const StressMessage& message = slot.message;
  std::byte* const data = slot.data(message.receive_shift);
  const auto count =
      static_cast<int>(message.size_bytes + (message.longer ? record::kStressRoomBytes : 0));
  const int source = message.any_source ? MPI_ANY_SOURCE : slot.peers.from;
  const int tag = message.any_tag ? MPI_ANY_TAG : message.tag;
  MPI_Status status{};
  say(record::StressDoing::kReceiving, slot, true);
  switch (message.way->receive) {
    case ReceiveCall::kIrecv:
    case ReceiveCall::kStart:
      wait(slot, slot.request, &status, "MPI_Wait", record::StressDoing::kReceiving);
      if (slot.request != MPI_REQUEST_NULL) {
        need(slot, true, "MPI_Request_free", MPI_Request_free(&slot.request));
      }
      break;
    case ReceiveCall::kRecv:
      need(slot, true, "MPI_Recv", MPI_Recv(data, count, MPI_BYTE, source, tag, late_, &status));
      break;
    case ReceiveCall::kMrecv: {
      MPI_Message matched = MPI_MESSAGE_NULL;
      need(slot, true, "MPI_Mprobe", MPI_Mprobe(source, tag, late_, &matched, &status));
      need(slot, true, "MPI_Mrecv", MPI_Mrecv(data, count, MPI_BYTE, &matched, &status));
      break;
    }
    case ReceiveCall::kSendrecv:
      need(slot, true, "MPI_Sendrecv",
           MPI_Sendrecv(outgoing.data(outgoing.message.send_shift),
                        static_cast<int>(outgoing.message.size_bytes), MPI_BYTE, outgoing.peers.to,
                        outgoing.message.tag, data, count, MPI_BYTE, source, tag, late_, &status));
      break;
  }
  look_at(slot, status);
}

void StressMessages::look_at(const Slot& slot, const MPI_Status& status) {
  const StressMessage& message = slot.message;
  const auto say_wrong = [&](std::string_view fault, std::string what) {
    tell_(fault_of(slot, true, fault, std::move(what)));
  };
  if (status.MPI_SOURCE != slot.peers.from) {
    say_wrong(fault_words::kSource, instead_text("source", status.MPI_SOURCE, slot.peers.from));
  }
  if (status.MPI_TAG != message.tag) {
    say_wrong(fault_words::kTag, instead_text("tag", status.MPI_TAG, message.tag));
  }
  int bytes = 0;
  need(slot, true, "MPI_Get_count", MPI_Get_count(&status, MPI_BYTE, &bytes));
  if (bytes != static_cast<int>(message.size_bytes)) {
    say_wrong(fault_words::kLength, instead_text("length", bytes, message.size_bytes));
  }
  look_around(slot);
  // Only what came is compared.
  const std::size_t came =
      std::min<std::size_t>(message.size_bytes, static_cast<std::size_t>(std::max(bytes, 0)));
  const std::span<const std::byte> found(slot.data(message.receive_shift), came);
  if (!first_difference(found, slot.content)) return;
  const std::optional<StressDifference> difference =
      difference_of(found, slot.content, others_near(slot));
  if (!difference) return;
  record::StressFault fault = fault_of(slot, true, difference->fault, difference->what);
  fault.offset_bytes = static_cast<std::int64_t>(difference->offset_bytes);
  fault.expected = difference->expected;
  fault.found = difference->found;
  tell_(fault);
}

void StressMessages::look_around(const Slot& slot) {
  const std::byte* const data = slot.data(slot.message.receive_shift);
  const std::size_t size = slot.message.size_bytes;
  const auto look = [&](const std::byte* zone, std::span<const std::byte> wanted,
                        std::int64_t offset, const char* where) {
    if (std::memcmp(zone, wanted.data(), wanted.size()) == 0) return;
    const auto wrong = std::mismatch(wanted.begin(), wanted.end(), zone);
    const auto at = static_cast<std::size_t>(wrong.first - wanted.begin());
    record::StressFault fault = fault_of(slot, true, fault_words::kOverrun,
                                         std::string("written ") + where + " the message");
    fault.offset_bytes = offset + static_cast<std::int64_t>(at);
    fault.expected = hexadecimal(wanted.subspan(at));
    fault.found = hexadecimal(std::span(zone, wanted.size()).subspan(at));
    tell_(fault);
  };
  const std::span<const std::byte> zones(kZones);
  look(data - kZoneInFront, zones.first(kZoneInFront), -static_cast<std::int64_t>(kZoneInFront),
       "in front of");
  look(data + size, zones.subspan(kZoneInFront), static_cast<std::int64_t>(size), "behind");
}

std::vector<OtherStressMessage> StressMessages::others_near(const Slot& slot) const {
  std::vector<OtherStressMessage> others;
  const record::StressKind kind = slot.message.kind;
  const std::uint64_t own = slot.message.number;
  const auto add = [&](std::uint64_t number, int from, int to) {
    if (from < 0 || to < 0 || (number == own && from == slot.peers.from)) return;
    const bool same_pair = from == slot.peers.from && to == rank_;
    const bool before = number < own;
    OtherStressMessage other{.content = plan_.content(kind, number, from, to),
                             .size_bytes = plan_.message(kind, number).size_bytes};
    other.name = "message " + std::to_string(number);
    if (same_pair) {
      other.fault = before ? fault_words::kStale : fault_words::kSwapped;
      other.name += before ? ", which was sent before" : ", which is sent later";
    } else {
      other.fault = fault_words::kOther;
      other.name += " from rank " + std::to_string(from) + " to rank " + std::to_string(to);
    }
    others.push_back(std::move(other));
  };
  const auto add_of = [&](std::uint64_t number) {
    const StressPeers peers = plan_.peers(kind, number, rank_);
    add(number, peers.from, rank_);
    add(number, rank_, peers.to);
  };
  add_of(own);
  for (std::uint64_t distance = 1; distance <= kNearMessages; ++distance) {
    if (own >= distance) add_of(own - distance);
    add_of(own + distance);
  }
  return others;
}

void StressMessages::exchange(record::StressKind kind, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t end = first + count;
  const std::uint64_t slots = sending_.size();
  const auto prepare_for = [&](std::uint64_t number) {
    const StressPeers peers = plan_.peers(kind, number, rank_);
    if (number >= end || peers.from < 0) return;
    prepare(receiving_[number % slots], plan_.message(kind, number), peers);
  };
  for (std::uint64_t number = first; number < first + slots; ++number) prepare_for(number);
  // All ranks go through the same numbers, and are as far apart as there are slots: whoever is last
  // finds posted, or sent, whatever it waits for.
  for (std::uint64_t number = first; number < end; ++number) {
    const StressPeers peers = plan_.peers(kind, number, rank_);
    if (peers.to < 0) continue;
    Slot& outgoing = sending_[number % slots];
    Slot& incoming = receiving_[number % slots];
    send(outgoing, plan_.message(kind, number), peers);
    receive(incoming, outgoing);
    prepare_for(number + slots);
  }
  for (Slot& slot : sending_) finish_send(slot);
}

}  // namespace invar::ops
