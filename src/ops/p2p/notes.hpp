// Empty messages between the peers of a call, on another communicator than the operation's own:
// acknowledgements, and words that something is there.
#pragma once

#include <cstddef>

#include "ops/operation.hpp"
#include "ops/p2p/tags.hpp"

namespace invar::ops {

// Every rank sends a note to those that it receives from, and waits for one of each that it sends
// to. `requests` has room for one for each of these. Returns the MPI error code.
int notes_to_senders(const Peers& peers, int tag, MPI_Request* requests);

// What a call needs to know where its acknowledgements' requests are: behind those of its messages
// in both directions.
inline MPI_Request* note_requests(const Call& c) {
  return c.requests + 2 * static_cast<std::size_t>(c.peers->messages);
}

// Everything that came to this rank has come: said to its senders, and heard from its receivers.
inline int acknowledge(Call& c) { return notes_to_senders(*c.peers, kAckTag, note_requests(c)); }

}  // namespace invar::ops
