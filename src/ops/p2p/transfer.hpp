// The MPI calls that move messages, for every send mode, form and packing. Each is a function of
// its own, so that nothing is decided between the clock readings but what follows from the rank's
// part.
//
// Requests: those of the receives stand in front, in the order of their slots, those of the sends
// behind them; notes (notes.hpp) have theirs behind all.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "ops/buffers/element.hpp"
#include "ops/operation.hpp"
#include "ops/p2p/tags.hpp"

namespace invar::ops {

using record::P2pForm;
using record::Packing;
using record::SendMode;

// One message as MPI is told of it.
struct Packet {
  std::byte* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  int error = MPI_SUCCESS;  // of packing it
};

inline std::size_t slot_bytes(const Call& c) {
  return c.element->extent_bytes * static_cast<std::size_t>(c.count);
}

// What is sent from a slot, packed.
template <Packing How>
Packet outgoing(const Call& c, std::size_t slot) {
  std::byte* const elements = c.send + slot * slot_bytes(c);
  if constexpr (How == Packing::kType) {
    return {.data = elements, .count = c.count, .type = c.type};
  } else {
    std::byte* const packed = c.scratch + slot * slot_bytes(c);
    if constexpr (How == Packing::kByHand) {
      c.element->moves.pack(elements, static_cast<std::size_t>(c.count), packed);
      return {.data = packed, .count = static_cast<int>(c.block_bytes), .type = MPI_BYTE};
    } else {
      int position = 0;
      const int error = MPI_Pack(elements, c.count, c.type, packed, static_cast<int>(slot_bytes(c)),
                                 &position, c.comm);
      return {.data = packed, .count = position, .type = MPI_PACKED, .error = error};
    }
  }
}

// Where a message of a slot is received. Sent ones may still be packed in front of it.
template <Packing How>
Packet incoming(const Call& c, std::size_t slot) {
  if constexpr (How == Packing::kType) {
    return {.data = c.recv + slot * slot_bytes(c), .count = c.count, .type = c.type};
  } else {
    std::byte* const packed =
        c.scratch + (static_cast<std::size_t>(c.peers->messages) + slot) * slot_bytes(c);
    if constexpr (How == Packing::kByHand) {
      return {.data = packed, .count = static_cast<int>(c.block_bytes), .type = MPI_BYTE};
    } else {
      return {.data = packed, .count = static_cast<int>(slot_bytes(c)), .type = MPI_PACKED};
    }
  }
}

// Into recv, once it has come.
template <Packing How>
int unpack(const Call& c, std::size_t slot) {
  if constexpr (How == Packing::kType) return MPI_SUCCESS;
  std::byte* const elements = c.recv + slot * slot_bytes(c);
  const Packet packet = incoming<How>(c, slot);
  if constexpr (How == Packing::kByHand) {
    c.element->moves.unpack(packet.data, static_cast<std::size_t>(c.count), elements);
    return MPI_SUCCESS;
  } else {
    int position = 0;
    return MPI_Unpack(packet.data, packet.count, &position, elements, c.count, c.type, c.comm);
  }
}

// The send of a mode: until the buffer may be used again, until that is waited for, and as a
// request that is started later.
template <SendMode Mode>
int send_now(const Packet& p, int to, MPI_Comm comm) {
  if constexpr (Mode == SendMode::kSynchronous) {
    return MPI_Ssend(p.data, p.count, p.type, to, kMessageTag, comm);
  } else if constexpr (Mode == SendMode::kReady) {
    return MPI_Rsend(p.data, p.count, p.type, to, kMessageTag, comm);
  } else if constexpr (Mode == SendMode::kBuffered) {
    return MPI_Bsend(p.data, p.count, p.type, to, kMessageTag, comm);
  } else {
    return MPI_Send(p.data, p.count, p.type, to, kMessageTag, comm);
  }
}

template <SendMode Mode>
int send_later(const Packet& p, int to, MPI_Comm comm, MPI_Request* request) {
  if constexpr (Mode == SendMode::kSynchronous) {
    return MPI_Issend(p.data, p.count, p.type, to, kMessageTag, comm, request);
  } else if constexpr (Mode == SendMode::kReady) {
    return MPI_Irsend(p.data, p.count, p.type, to, kMessageTag, comm, request);
  } else if constexpr (Mode == SendMode::kBuffered) {
    return MPI_Ibsend(p.data, p.count, p.type, to, kMessageTag, comm, request);
  } else {
    return MPI_Isend(p.data, p.count, p.type, to, kMessageTag, comm, request);
  }
}

template <SendMode Mode>
int prepare_send(const Packet& p, int to, MPI_Comm comm, MPI_Request* request) {
  if constexpr (Mode == SendMode::kSynchronous) {
    return MPI_Ssend_init(p.data, p.count, p.type, to, kMessageTag, comm, request);
  } else if constexpr (Mode == SendMode::kReady) {
    return MPI_Rsend_init(p.data, p.count, p.type, to, kMessageTag, comm, request);
  } else if constexpr (Mode == SendMode::kBuffered) {
    return MPI_Bsend_init(p.data, p.count, p.type, to, kMessageTag, comm, request);
  } else {
    return MPI_Send_init(p.data, p.count, p.type, to, kMessageTag, comm, request);
  }
}

inline int receive_now(const Packet& p, int from, int tag, MPI_Comm comm) {
  return MPI_Recv(p.data, p.count, p.type, from, tag, comm, MPI_STATUS_IGNORE);
}

// Found first, and received then: nobody else can take it in between.
inline int receive_probed(const Packet& p, int from, int tag, MPI_Comm comm) {
  MPI_Message message = MPI_MESSAGE_NULL;
  const int error = MPI_Mprobe(from, tag, comm, &message, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) return error;
  return MPI_Mrecv(p.data, p.count, p.type, &message, MPI_STATUS_IGNORE);
}

inline std::size_t messages_in(const Peers& peers) {
  return peers.from.size() * static_cast<std::size_t>(peers.window);
}
inline std::size_t messages_out(const Peers& peers) {
  return peers.to.size() * static_cast<std::size_t>(peers.window);
}

// each(peer, slot) for every message, in the order of the slots, until one returns an error.
template <typename Each>
int for_messages(std::size_t peers, int window, Each each) {
  std::size_t slot = 0;
  for (std::size_t peer = 0; peer < peers; ++peer) {
    for (int message = 0; message < window; ++message, ++slot) {
      const int error = each(peer, slot);
      if (error != MPI_SUCCESS) return error;
    }
  }
  return MPI_SUCCESS;
}

template <typename Each>
int for_incoming(const Peers& peers, Each each) {
  return for_messages(peers.from.size(), peers.window, each);
}
template <typename Each>
int for_outgoing(const Peers& peers, Each each) {
  return for_messages(peers.to.size(), peers.window, each);
}

template <Packing How>
int post_receives(Call& c) {
  const Peers& peers = *c.peers;
  return for_incoming(peers, [&](std::size_t peer, std::size_t slot) {
    const Packet p = incoming<How>(c, slot);
    return MPI_Irecv(p.data, p.count, p.type, peers.source(peer), peers.tag, c.comm,
                     &c.requests[slot]);
  });
}

template <Packing How>
int unpack_all(const Call& c) {
  if constexpr (How == Packing::kType) return MPI_SUCCESS;
  return for_incoming(*c.peers,
                      [&](std::size_t, std::size_t slot) { return unpack<How>(c, slot); });
}

// In this order: that in which MPI_Startall starts is left open, and so which of several messages
// would meet which receive.
inline int start_in_order(MPI_Request* requests, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const int error = MPI_Start(&requests[i]);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

// So many requests from that one on; MPI is not asked to wait for none.
inline int wait_for(Call& c, std::size_t first, std::size_t count) {
  if (count == 0) return MPI_SUCCESS;
  return MPI_Waitall(static_cast<int>(count), &c.requests[first], MPI_STATUSES_IGNORE);
}

// Makes the requests of a persistent call: receives, then sends. Packing has to be done once to
// know the length of what is packed.
template <SendMode Mode, Packing How>
int prepare_messages(Call& c) {
  const Peers& peers = *c.peers;
  const int error = for_incoming(peers, [&](std::size_t peer, std::size_t slot) {
    const Packet p = incoming<How>(c, slot);
    return MPI_Recv_init(p.data, p.count, p.type, peers.source(peer), peers.tag, c.comm,
                         &c.requests[slot]);
  });
  if (error != MPI_SUCCESS) return error;
  MPI_Request* const sends = c.requests + messages_in(peers);
  return for_outgoing(peers, [&](std::size_t peer, std::size_t slot) {
    const Packet p = outgoing<How>(c, slot);
    if (p.error != MPI_SUCCESS) return p.error;
    return prepare_send<Mode>(p, peers.to[peer], c.comm, &sends[slot]);
  });
}

// Packs what persistent requests send.
template <Packing How>
int pack_all(const Call& c) {
  if constexpr (How == Packing::kType) return MPI_SUCCESS;
  return for_outgoing(*c.peers,
                      [&](std::size_t, std::size_t slot) { return outgoing<How>(c, slot).error; });
}

}  // namespace invar::ops
