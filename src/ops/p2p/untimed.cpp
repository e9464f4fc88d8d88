#include "ops/p2p/untimed.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "ops/p2p/notes.hpp"
#include "ops/p2p/transfer.hpp"

namespace invar::ops {
namespace {

std::size_t bytes_for_bsend(const Call& c) {
  int packed = 0;
  MPI_Pack_size(c.count, c.type, c.comm, &packed);
  const std::size_t a_message =
      std::max(static_cast<std::size_t>(packed), slot_bytes(c)) + MPI_BSEND_OVERHEAD;
  return std::min<std::size_t>(record::kCallsInBuffer * messages_out(*c.peers) * a_message,
                               std::numeric_limits<int>::max());
}

}  // namespace

bool needs_preparing(const record::P2pLevels& levels) {
  return levels.posted || levels.mode == SendMode::kReady || levels.mode == SendMode::kBuffered;
}

int post_all_receives(Call& c) {
  if (c.levels->form == P2pForm::kPersistent) {
    return start_in_order(c.requests, messages_in(*c.peers));
  }
  switch (c.levels->packing) {
    case Packing::kByHand:
      return post_receives<Packing::kByHand>(c);
    case Packing::kByMpi:
      return post_receives<Packing::kByMpi>(c);
    case Packing::kType:
      break;
  }
  return post_receives<Packing::kType>(c);
}

int attach_buffer(const Call& c) {
  if (messages_out(*c.peers) == 0) return MPI_SUCCESS;
  const std::size_t bytes = bytes_for_bsend(c);
  auto buffer = std::make_unique<std::byte[]>(bytes);
  const int error = MPI_Buffer_attach(buffer.get(), static_cast<int>(bytes));
  // MPI keeps it, and gives it back when it is detached.
  if (error == MPI_SUCCESS) static_cast<void>(buffer.release());
  return error;
}

int detach_buffer(const Call& c) {
  if (messages_out(*c.peers) == 0) return MPI_SUCCESS;
  void* buffer = nullptr;
  int bytes = 0;
  const int error = MPI_Buffer_detach(&buffer, &bytes);
  if (error == MPI_SUCCESS) delete[] static_cast<std::byte*>(buffer);
  return error;
}

int empty_buffer(const Call& c) {
  if (messages_out(*c.peers) == 0) return MPI_SUCCESS;
  void* buffer = nullptr;
  int bytes = 0;
  const int error = MPI_Buffer_detach(&buffer, &bytes);
  return error == MPI_SUCCESS ? MPI_Buffer_attach(buffer, bytes) : error;
}

int prepare_untimed(Call& c) {
  const record::P2pLevels& levels = *c.levels;
  int error = MPI_SUCCESS;
  if (levels.mode == SendMode::kBuffered) error = attach_buffer(c);
  if (error == MPI_SUCCESS && levels.posted) error = post_all_receives(c);
  if (error != MPI_SUCCESS || levels.mode != SendMode::kReady) return error;
  std::vector<MPI_Request> requests(c.peers->to.size(), MPI_REQUEST_NULL);
  return notes_to_senders(*c.peers, kPostedTag, requests.data());
}

int end_untimed(Call& c) {
  return c.levels->mode == SendMode::kBuffered ? detach_buffer(c) : MPI_SUCCESS;
}

// Detached first: what is still in the buffer goes out meanwhile, and the others wait for it.
int acknowledge_untimed(Call& c) {
  const int error = end_untimed(c);
  const int acknowledged = acknowledge(c);
  return error == MPI_SUCCESS ? acknowledged : error;
}

}  // namespace invar::ops
