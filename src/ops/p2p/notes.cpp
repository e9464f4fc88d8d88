#include "ops/p2p/notes.hpp"

namespace invar::ops {

int notes_to_senders(const Peers& peers, int tag, MPI_Request* requests) {
  int error = MPI_SUCCESS;
  if (peers.from.empty()) {
    for (std::size_t peer = 0; peer < peers.to.size() && error == MPI_SUCCESS; ++peer) {
      error = MPI_Recv(nullptr, 0, MPI_BYTE, peers.to[peer], tag, peers.other, MPI_STATUS_IGNORE);
    }
    return error;
  }
  // Two that send notes to each other have both receives there before.
  std::size_t awaited = 0;
  for (; awaited < peers.to.size() && error == MPI_SUCCESS; ++awaited) {
    error =
        MPI_Irecv(nullptr, 0, MPI_BYTE, peers.to[awaited], tag, peers.other, &requests[awaited]);
  }
  for (std::size_t peer = 0; peer < peers.from.size() && error == MPI_SUCCESS; ++peer) {
    error = MPI_Send(nullptr, 0, MPI_BYTE, peers.from[peer], tag, peers.other);
  }
  if (error != MPI_SUCCESS || awaited == 0) return error;
  return MPI_Waitall(static_cast<int>(awaited), requests, MPI_STATUSES_IGNORE);
}

}  // namespace invar::ops
