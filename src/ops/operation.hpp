// An operation: something that can be timed. One file each, and one line in catalogue.cpp.
// Everything a call needs is ready before the clock is read; the call itself is one MPI call.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>

namespace invar::ops {

// What a call sees. `count` elements of `type` make a block of `block_bytes`: "size" in a campaign
// (design.md, section 3).
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
  // v-forms; `ranks` entries each, in elements but for byte_displacements (alltoallw).
  const int* counts = nullptr;
  const int* displacements = nullptr;
  const int* byte_displacements = nullptr;
  const MPI_Datatype* types = nullptr;
};

// Bytes that this rank's buffers need for the call.
struct BufferNeed {
  std::size_t send_bytes = 0;
  std::size_t recv_bytes = 0;
};

class Checker;  // ops/verify.hpp

struct Operation {
  const char* name;
  const char* summary;  // one line, for `invar ops` and the campaign's comments
  bool sized = true;
  bool rooted = false;
  bool reduces = false;
  BufferNeed (*buffers)(const Call&);
  // Returns the MPI error code (the communicator returns errors).
  int (*call)(const Call&);
  // States what the buffers must hold after one call on buffers filled by fill_for_check().
  void (*verify)(const Call&, Checker&);
};

}  // namespace invar::ops
