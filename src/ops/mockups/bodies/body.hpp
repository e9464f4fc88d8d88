// What the bodies of mock-ups share. A body has the arguments of the MPI function that it stands
// for (MPI_IN_PLACE included), and what is known before the call: this rank, its communicator, the
// datatype's extent, lengths of shares, scratch. It returns the first error code. Counts of the
// calls inside must fit an int, which whoever calls it has made sure of. Local copies belong to it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace invar::ops::body {

struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
};

// Its lower bound is 0. Gaps, between the data of an element or behind them, must stay as they are.
struct Elements {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t extent_bytes = 1;
  bool gaps = false;
};

// The tag of our own messages on the call's communicator: no other message may have it there.
constexpr int kBodyTag = 19'660;

inline std::byte* at(void* buffer, const Elements& e, std::size_t elements) {
  return static_cast<std::byte*>(buffer) + elements * e.extent_bytes;
}
inline const std::byte* at(const void* buffer, const Elements& e, std::size_t elements) {
  return static_cast<const std::byte*>(buffer) + elements * e.extent_bytes;
}
// Block `number` of a buffer of blocks of `count` elements.
inline std::byte* block(void* buffer, const Elements& e, int number, int count) {
  return at(buffer, e, static_cast<std::size_t>(number) * static_cast<std::size_t>(count));
}
inline const std::byte* block(const void* buffer, const Elements& e, int number, int count) {
  return at(buffer, e, static_cast<std::size_t>(number) * static_cast<std::size_t>(count));
}
inline std::size_t bytes_of(const Elements& e, std::size_t elements) {
  return elements * e.extent_bytes;
}

// What must not overlap.
inline int copy(const Elements& e, const void* from, void* to, int count, const Group& g) {
  if (e.gaps) {
    return MPI_Sendrecv(from, count, e.type, g.rank, kBodyTag, to, count, e.type, g.rank, kBodyTag,
                        g.comm, MPI_STATUS_IGNORE);
  }
  if (count > 0) std::memcpy(to, from, bytes_of(e, static_cast<std::size_t>(count)));
  return MPI_SUCCESS;
}

// Copies several blocks, which together may have more elements than an int counts.
inline int copy_blocks(const Elements& e, const void* from, void* to, int blocks, int count,
                       const Group& g) {
  if (!e.gaps) {
    const std::size_t elements = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(count);
    if (elements > 0) std::memcpy(to, from, bytes_of(e, elements));
    return MPI_SUCCESS;
  }
  int error = MPI_SUCCESS;
  for (int number = 0; number < blocks && error == MPI_SUCCESS; ++number) {
    error = copy(e, block(from, e, number, count), block(to, e, number, count), count, g);
  }
  return error;
}

inline void zero(void* from, std::size_t bytes) {
  if (bytes > 0) std::memset(from, 0, bytes);
}

// Elements of one of `parts` equal shares of a vector, rounded up.
inline int share_of(int count, int parts) { return count / parts + (count % parts == 0 ? 0 : 1); }

// Copies the vector and pads it, with its own first elements: every operator takes them.
inline int padded_copy(const Elements& e, const void* from, int count, void* to, int padded,
                       const Group& g) {
  if (count == 0) return MPI_SUCCESS;
  int error = MPI_SUCCESS;
  for (int done = 0; done < padded && error == MPI_SUCCESS;) {
    const int part = std::min(count, padded - done);
    error = copy(e, from, at(to, e, static_cast<std::size_t>(done)), part, g);
    done += part;
  }
  return error;
}

// This rank's share of the reduction over the ranks of `comm`, of equal shares, into `mine`. Where
// the vector has to be padded for that, `vector` takes it.
inline int reduce_to_equal_shares(const void* input, int count, const Elements& e, MPI_Op op,
                                  int share, int ranks, MPI_Comm comm, const Group& g, void* mine,
                                  void* vector) {
  const int padded = share * ranks;
  if (padded != count) {
    const int error = padded_copy(e, input, count, vector, padded, g);
    if (error != MPI_SUCCESS) return error;
    input = vector;
  }
  return MPI_Reduce_scatter_block(input, mine, share, e.type, op, comm);
}

// Shares of a vector, one for every rank: the first ones have an element more where they differ.
struct Shares {
  const int* counts = nullptr;
  const int* displacements = nullptr;
};

}  // namespace invar::ops::body
