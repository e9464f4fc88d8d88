// There and back: the rank that starts sends and then receives, the other one receives and then
// sends.
#pragma once

#include "ops/p2p/transfer.hpp"

namespace invar::ops {

// One message of a rank in each direction: the receive's request, the send's.
constexpr std::size_t kPingReceive = 0;
constexpr std::size_t kPingSend = 1;

template <SendMode Mode, P2pForm Form, Packing How>
int send_ping(Call& c) {
  const Packet p = outgoing<How>(c, 0);
  if (p.error != MPI_SUCCESS) return p.error;
  MPI_Request* const request = &c.requests[kPingSend];
  if constexpr (Form == P2pForm::kNonBlocking || Form == P2pForm::kPersistent) {
    const int error = Form == P2pForm::kPersistent
                          ? MPI_Start(request)
                          : send_later<Mode>(p, c.peers->to[0], c.comm, request);
    return error == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : error;
  } else {
    return send_now<Mode>(p, c.peers->to[0], c.comm);
  }
}

template <P2pForm Form, Packing How, bool Posted>
int receive_ping(Call& c) {
  const Peers& peers = *c.peers;
  const Packet p = incoming<How>(c, 0);
  MPI_Request* const request = &c.requests[kPingReceive];
  int error = MPI_SUCCESS;
  if constexpr (Posted) {
    error = MPI_Wait(request, MPI_STATUS_IGNORE);
  } else if constexpr (Form == P2pForm::kMatchedProbe) {
    error = receive_probed(p, peers.source(0), peers.tag, c.comm);
  } else if constexpr (Form == P2pForm::kNonBlocking) {
    error = MPI_Irecv(p.data, p.count, p.type, peers.source(0), peers.tag, c.comm, request);
    if (error == MPI_SUCCESS) error = MPI_Wait(request, MPI_STATUS_IGNORE);
  } else if constexpr (Form == P2pForm::kPersistent) {
    error = MPI_Start(request);
    if (error == MPI_SUCCESS) error = MPI_Wait(request, MPI_STATUS_IGNORE);
  } else {
    error = receive_now(p, peers.source(0), peers.tag, c.comm);
  }
  return error == MPI_SUCCESS ? unpack<How>(c, 0) : error;
}

template <SendMode Mode, P2pForm Form, Packing How, bool Posted>
int ping_pong(Call& c) {
  if (c.role == record::Role::kStarts) {
    const int error = send_ping<Mode, Form, How>(c);
    return error == MPI_SUCCESS ? receive_ping<Form, How, Posted>(c) : error;
  }
  const int error = receive_ping<Form, How, Posted>(c);
  return error == MPI_SUCCESS ? send_ping<Mode, Form, How>(c) : error;
}

// Who starts sends and waits for the answer in one call. The other one cannot: it has to receive
// first.
template <Packing How>
int ping_by_sendrecv(Call& c) {
  if (c.role != record::Role::kStarts) {
    return ping_pong<SendMode::kStandard, P2pForm::kBlocking, How, false>(c);
  }
  const Peers& peers = *c.peers;
  const Packet out = outgoing<How>(c, 0);
  const Packet in = incoming<How>(c, 0);
  if (out.error != MPI_SUCCESS) return out.error;
  const int error =
      MPI_Sendrecv(out.data, out.count, out.type, peers.to[0], kMessageTag, in.data, in.count,
                   in.type, peers.source(0), peers.tag, c.comm, MPI_STATUS_IGNORE);
  return error == MPI_SUCCESS ? unpack<How>(c, 0) : error;
}

}  // namespace invar::ops
