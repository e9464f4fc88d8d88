// Runs the steps of a reference algorithm (ops/schedules) with MPI_Isend, MPI_Irecv, MPI_Wait and
// MPI_Reduce_local. All that can be known before is worked out when the call is set up: a step is
// then a few loads beside its calls.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/operation.hpp"
#include "ops/schedules/schedule.hpp"

namespace invar::ops {

// The steps of one rank for one root, as they are run.
class Program {
 public:
  // `collective` says where input and result of such a call lie. `marked`: the end of every phase
  // but the last one is marked.
  Program(const Algorithm& algorithm, const Operation& collective, const Call& call, bool marked);

  // The call's buffers may have moved meanwhile. `requests` are those that most_requests() of all
  // programs say. Returns the first MPI error code.
  int run(const Call& call, MPI_Request* requests) const;

  // That are under way at a time at most.
  [[nodiscard]] std::size_t most_requests() const { return 2 * bank_; }

 private:
  enum Memory : std::uint8_t { kSendMemory, kRecvMemory, kScratchMemory };

  struct Location {
    std::size_t offset_bytes = 0;
    int count = 0;
    Memory memory = kSendMemory;
  };

  struct RunStep {
    int to = kNobody;
    int from = kNobody;
    Location sent = {};
    Location received = {};
    std::uint32_t send_request = 0;
    std::uint32_t receive_request = 0;
    // Requests that are waited for, one behind the other.
    std::uint32_t first_awaited = 0;
    int awaited = 0;
    Then then = Then::kNothingMore;
    // Marked in front of the step.
    std::uint8_t first_mark = 0;
    std::uint8_t end_mark = 0;
    Location operand = {};
    Location into = {};
  };

  [[nodiscard]] static Location location(const Piece& piece, const Operation& collective,
                                         const Call& call, bool one_vector);
  [[nodiscard]] static int copy(const Call& call, const std::byte* from, std::byte* to, int count);
  void assign_requests(const Steps& steps);

  std::vector<RunStep> steps_ = {};
  // Requests lie in two banks of this length, in turn: those that a step has just posted, while it
  // waits for all earlier ones.
  std::size_t bank_ = 0;
  std::uint8_t first_last_mark_ = 0;  // marked behind the last step
  std::uint8_t end_last_mark_ = 0;
};

// What makes an operation out of an algorithm: the programs of the call, one for each root that it
// may have.
class Executor final : public Equipment {
 public:
  Executor(const Algorithm& algorithm, const Operation& collective, const Call& call, bool marked);

  int run(const Call& call) const {
    const Program& program = programs_[call.rotates ? static_cast<std::size_t>(call.root) : 0];
    const int error = program.run(call, requests_.get());
    if (error != MPI_SUCCESS) give_up();
    return error;
  }

 private:
  // What a call that failed has left under way would take the messages of the next one, into
  // buffers that may be gone.
  void give_up() const;

  std::vector<Program> programs_ = {};
  std::size_t most_requests_ = 0;
  std::unique_ptr<MPI_Request[]> requests_ = {};  // null between calls
};

// Why the algorithm cannot run the call; the same on all ranks.
std::string refusal_of(const Algorithm& algorithm, const Call& call);

// Operation::call of every reference algorithm.
int run_executor(Call& call);

}  // namespace invar::ops
