#include "shim/call/arguments.hpp"

namespace invar::shim {
namespace {

std::optional<Blocks> blocks_of(void* begin, int count, MPI_Datatype type, int blocks) {
  const std::optional<Datatype> known = describe(type);
  if (!known) return std::nullopt;
  return Blocks{
      .begin = static_cast<std::byte*>(begin), .count = count, .blocks = blocks, .type = *known};
}

// Block `number` of the program's buffer.
std::byte* block_at(const Blocks& buffer, int number) {
  return buffer.begin + buffer.type.extent_bytes * buffer.count * number;
}

// A block at a time: all of them may have more elements than an int counts.
int pack(const Blocks& from, int number, std::byte* to, MPI_Comm comm) {
  const int bytes = static_cast<int>(from.block_bytes());
  int position = 0;
  const int error =
      MPI_Pack(block_at(from, number), from.count, from.type.handle, to, bytes, &position, comm);
  // What is packed is the data and nothing else, or other ranks could not read it as bytes.
  return error == MPI_SUCCESS && position != bytes ? MPI_ERR_INTERN : error;
}

int unpack(const std::byte* from, const Blocks& to, int number, MPI_Comm comm) {
  const int bytes = static_cast<int>(to.block_bytes());
  int position = 0;
  return MPI_Unpack(from, bytes, &position, block_at(to, number), to.count, to.type.handle, comm);
}

}  // namespace

MovedData::MovedData(const Asked& asked, const Presence& presence, int ranks,
                     std::size_t block_bytes)
    : row_(row_of(asked.collective)), in_place_(presence.in_place), block_bytes_(block_bytes) {
  if (presence.sends) {
    // MPI's functions that send and those that receive have one parameter in bcast.
    send_ = blocks_of(const_cast<void*>(asked.send), asked.send_count, asked.send_type,
                      row_.sends_all_blocks ? ranks : 1);
    fits_ = fits_ && send_ && send_->block_bytes() == block_bytes_;
  }
  if (presence.receives) {
    recv_ = blocks_of(asked.recv, asked.recv_count, asked.recv_type,
                      row_.receives_all_blocks ? ranks : 1);
    fits_ = fits_ && recv_ && recv_->block_bytes() == block_bytes_;
  }
}

std::size_t MovedData::staged_bytes(const std::optional<Blocks>& buffer) const {
  if (!buffer || buffer->type.dense) return 0;
  return static_cast<std::size_t>(buffer->blocks) * block_bytes_;
}

std::size_t MovedData::staged_bytes() const { return staged_bytes(send_) + staged_bytes(recv_); }

int MovedData::begin(ops::Call& call, std::byte* staging) {
  if (!fits_) return MPI_ERR_TRUNCATE;
  const std::size_t send_bytes = staged_bytes(send_);
  const std::size_t recv_bytes = staged_bytes(recv_);
  call.send = send_ ? send_->begin : nullptr;
  call.recv = recv_ ? recv_->begin : nullptr;
  int error = MPI_SUCCESS;
  if (send_bytes > 0) {
    call.send = staging;
    for (int number = 0; number < send_->blocks && error == MPI_SUCCESS; ++number) {
      error = pack(*send_, number, call.send + static_cast<std::size_t>(number) * block_bytes_,
                   call.comm);
    }
  }
  if (recv_bytes > 0) {
    call.recv = staging + send_bytes;
    const bool reads = in_place_ && !row_.in_place_for_recv;
    const int first = row_.reads_all_in_place ? 0 : call.rank;
    const int end = !reads ? first : row_.reads_all_in_place ? recv_->blocks : call.rank + 1;
    for (int number = first; number < end && error == MPI_SUCCESS; ++number) {
      error = pack(*recv_, number, call.recv + static_cast<std::size_t>(number) * block_bytes_,
                   call.comm);
    }
  }
  if (row_.one_vector) (send_ ? call.recv : call.send) = send_ ? call.send : call.recv;
  return error;
}

int MovedData::end(const ops::Call& call) const {
  int error = MPI_SUCCESS;
  if (staged_bytes(recv_) == 0) return error;
  for (int number = 0; number < recv_->blocks && error == MPI_SUCCESS; ++number) {
    error = unpack(call.recv + static_cast<std::size_t>(number) * block_bytes_, *recv_, number,
                   call.comm);
  }
  return error;
}

}  // namespace invar::shim
