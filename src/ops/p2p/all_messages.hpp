// A call that sends all messages of a rank to its peers and receives all of theirs: one way, head
// to head, streams, halos. A rank has all receives posted before it sends, or only sends, or only
// receives, so that no send ever waits for a receive that comes behind it.
#pragma once

#include "ops/p2p/notes.hpp"
#include "ops/p2p/transfer.hpp"

namespace invar::ops {

template <SendMode Mode, Packing How>
int send_all_now(Call& c) {
  const Peers& peers = *c.peers;
  return for_outgoing(peers, [&](std::size_t peer, std::size_t slot) {
    const Packet p = outgoing<How>(c, slot);
    if (p.error != MPI_SUCCESS) return p.error;
    return send_now<Mode>(p, peers.to[peer], c.comm);
  });
}

template <SendMode Mode, Packing How>
int send_all_later(Call& c) {
  const Peers& peers = *c.peers;
  MPI_Request* const requests = c.requests + messages_in(peers);
  return for_outgoing(peers, [&](std::size_t peer, std::size_t slot) {
    const Packet p = outgoing<How>(c, slot);
    if (p.error != MPI_SUCCESS) return p.error;
    return send_later<Mode>(p, peers.to[peer], c.comm, &requests[slot]);
  });
}

template <Packing How, bool Probed>
int receive_all_now(Call& c) {
  const Peers& peers = *c.peers;
  return for_incoming(peers, [&](std::size_t peer, std::size_t slot) {
    const Packet p = incoming<How>(c, slot);
    const int error = Probed ? receive_probed(p, peers.source(peer), peers.tag, c.comm)
                             : receive_now(p, peers.source(peer), peers.tag, c.comm);
    return error == MPI_SUCCESS ? unpack<How>(c, slot) : error;
  });
}

template <Packing How>
int finish_receives(Call& c) {
  const int error = wait_for(c, 0, messages_in(*c.peers));
  return error == MPI_SUCCESS ? unpack_all<How>(c) : error;
}

// MPI_Send and MPI_Recv; a rank that does both posts its receives first (MPI_Irecv, MPI_Send,
// MPI_Waitall), because two ranks that send to each other first may wait for ever. `Posted`: a hook
// has posted the receives.
template <SendMode Mode, Packing How, bool Posted>
int all_blocking(Call& c) {
  if constexpr (!Posted) {
    if (c.peers->to.empty()) return receive_all_now<How, false>(c);
    if (c.peers->from.empty()) return send_all_now<Mode, How>(c);
    const int error = post_receives<How>(c);
    if (error != MPI_SUCCESS) return error;
  }
  const int error = send_all_now<Mode, How>(c);
  return error == MPI_SUCCESS ? finish_receives<How>(c) : error;
}

// MPI_Irecv, MPI_Isend, and later MPI_Waitall.
template <SendMode Mode, Packing How, bool Posted>
int start_non_blocking(Call& c) {
  if constexpr (!Posted) {
    const int error = post_receives<How>(c);
    if (error != MPI_SUCCESS) return error;
  }
  return send_all_later<Mode, How>(c);
}

// MPI_Start of each, and later MPI_Waitall.
template <Packing How, bool Posted>
int start_persistent(Call& c) {
  const std::size_t in = messages_in(*c.peers);
  const std::size_t out = messages_out(*c.peers);
  if constexpr (!Posted) {
    const int error = start_in_order(c.requests, in);
    if (error != MPI_SUCCESS) return error;
  }
  const int error = pack_all<How>(c);
  return error == MPI_SUCCESS ? start_in_order(c.requests + in, out) : error;
}

template <Packing How>
int finish_all(Call& c) {
  const Peers& peers = *c.peers;
  const int error = wait_for(c, 0, messages_in(peers) + messages_out(peers));
  return error == MPI_SUCCESS ? unpack_all<How>(c) : error;
}

// A call in two parts, in one.
template <int (*Start)(Call&), int (*Finish)(Call&)>
int start_and_finish(Call& c) {
  const int error = Start(c);
  return error == MPI_SUCCESS ? Finish(c) : error;
}

// In which step of MPI_Sendrecv a rank receives from a peer. Those with several partners have them
// in opposite pairs (down and up, r + d and r - d): while all send to the one, all receive from the
// other one.
inline std::size_t opposite(const Peers& peers, std::size_t peer) {
  return peers.to.size() > 1 && peers.from.size() > 1 ? peer ^ 1U : peer;
}

// One MPI_Sendrecv for each message; where a rank has none in one direction, MPI_PROC_NULL stands
// there.
template <Packing How>
int all_by_sendrecv(Call& c) {
  const Peers& peers = *c.peers;
  const std::size_t most =
      peers.to.size() > peers.from.size() ? peers.to.size() : peers.from.size();
  return for_messages(most, peers.window, [&](std::size_t peer, std::size_t slot) {
    const std::size_t other = opposite(peers, peer);
    const std::size_t other_slot = peers.slot(other, slot - peers.slot(peer, 0));
    const bool sends = peer < peers.to.size();
    const bool receives = other < peers.from.size();
    const Packet out = sends ? outgoing<How>(c, slot) : Packet{};
    const Packet in = receives ? incoming<How>(c, other_slot) : Packet{};
    if (out.error != MPI_SUCCESS) return out.error;
    const int error = MPI_Sendrecv(
        out.data, out.count, out.type, sends ? peers.to[peer] : MPI_PROC_NULL, kMessageTag, in.data,
        in.count, in.type, receives ? peers.source(other) : MPI_PROC_NULL, peers.tag, c.comm,
        MPI_STATUS_IGNORE);
    return error == MPI_SUCCESS && receives ? unpack<How>(c, other_slot) : error;
  });
}

// MPI_Mprobe and MPI_Mrecv; a rank that does both sends by MPI_Isend, because nobody has posted
// anything that a blocking send could wait for.
template <SendMode Mode, Packing How>
int all_probed(Call& c) {
  if (c.peers->to.empty()) return receive_all_now<How, true>(c);
  if (c.peers->from.empty()) return send_all_now<Mode, How>(c);
  int error = send_all_later<Mode, How>(c);
  if (error == MPI_SUCCESS) error = receive_all_now<How, true>(c);
  if (error != MPI_SUCCESS) return error;
  return wait_for(c, messages_in(*c.peers), messages_out(*c.peers));
}

// The same, and every receiver tells its senders that all has come: what sends many messages in a
// row is over when they are there, not when the library has taken them.
template <int (*Messages)(Call&)>
int acknowledged(Call& c) {
  const int error = Messages(c);
  return error == MPI_SUCCESS ? acknowledge(c) : error;
}

}  // namespace invar::ops
