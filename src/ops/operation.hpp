// An operation: something that can be timed. One file each, and one line in catalogue.def.
// Everything a call needs is ready before the clock is read; the call itself is one MPI call.
// This folder depends on MPI, base and record, and on no other library: it is part of the engine.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace invar::ops {

// What a call sees. `count` elements of `type` make a block of `block_bytes`: "size" in a campaign
// (design.md, section 3). Made by CallSetup.
struct Call {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
  int root = 0;
  int count = 0;
  std::size_t block_bytes = 0;
  MPI_Datatype type = MPI_BYTE;
  MPI_Op reduction = MPI_OP_NULL;
  std::byte* send = nullptr;
  std::byte* recv = nullptr;
  // v-forms; `ranks` entries each, in elements but for byte_displacements (alltoallw). Null for
  // the other operations.
  const int* counts = nullptr;
  const int* displacements = nullptr;
  const int* byte_displacements = nullptr;
  const MPI_Datatype* types = nullptr;
  bool in_place = false;   // MPI_IN_PLACE instead of a send buffer, where MPI says so
  bool rotates = false;    // the root moves on by one rank after every call
  MPI_Request request = MPI_REQUEST_NULL;  // of a persistent operation, between start() and wait

  // Outside the timed region.
  void next_root() { root = root + 1 < ranks ? root + 1 : 0; }
};

// Bytes that this rank's buffers need for the call.
struct BufferNeed {
  std::size_t send_bytes = 0;
  std::size_t recv_bytes = 0;
};

// Which arrays over the ranks a call takes.
enum class Arrays : std::uint8_t {
  kNone,
  kCounts,  // counts, and displacements in elements
  kTyped,   // also displacements in bytes, and types
};

class Checker;  // ops/verify.hpp

struct Operation {
  const char* name;
  const char* summary;  // one line, for `invar ops` and the campaign's comments
  bool sized = true;
  bool rooted = false;
  bool reduces = false;
  bool reads_recv = false;  // recv is an operand too (reduce_local)
  bool in_place = false;    // has a form with MPI_IN_PLACE
  bool neighbours = false;  // its communicator has a topology
  // Why the library that this was compiled for lacks it; null: it does not.
  const char* missing = nullptr;
  Arrays arrays = Arrays::kNone;
  BufferNeed (*buffers)(const Call&) = nullptr;
  // Persistent operations: makes the request for the buffers as they are placed; collective. Returns
  // the MPI error code. Null for the others.
  int (*prepare)(Call&) = nullptr;
  // Returns the MPI error code (the communicator returns errors). Changes nothing but the request.
  int (*call)(Call&);
  // States what recv must hold after one call on buffers filled by fill_for_check(), every byte of
  // it. Collective: it runs on all ranks of the communicator or on none.
  void (*verify)(const Call&, Checker&);
};

}  // namespace invar::ops
