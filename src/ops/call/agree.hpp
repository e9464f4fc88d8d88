// How ranks agree on an outcome outside the timed region. Trees of point-to-point messages: O(log
// p) steps, and a wrong collective cannot hide its own failure.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace invar::ops {

// The outcome over all ranks.
struct Outcome {
  int failed_ranks = 0;
  int first_failed_rank = -1;  // -1: none
  std::string what = {};       // the first failed rank's text

  [[nodiscard]] bool passed() const { return failed_ranks == 0; }
  // "rank 3: recv byte 12: ... (and 2 other ranks)".
  [[nodiscard]] std::string text() const;
};

// Those who agree. Their messages never travel on an operation's communicator, where a receive from
// anyone that the operation has posted would take them.
struct Circle {
  MPI_Comm comm = MPI_COMM_NULL;
  // Ranks of `comm`; each counts as the rank that is its place here. None: all, as they are.
  std::span<const std::uint32_t> ranks = {};
};

// Collective over the circle. `failure` is this rank's (empty: none; cut after 400 bytes); all
// ranks return the same. Ends the job if messages fail, because then nothing can be agreed on.
Outcome agree(const Circle& circle, const std::string& failure);

// Collective: `bytes` of the root to all ranks.
void send_down_tree(MPI_Comm comm, int root, std::span<std::byte> bytes);

// The library's own text for an error code, with the name of the call.
std::string mpi_error_text(const std::string& call, int code);
// Whether a failure's text says that: an error of the library, not a wrong result.
bool is_mpi_error(const std::string& failure);

}  // namespace invar::ops
