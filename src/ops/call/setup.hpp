// From a cell of the plan to a call: datatype, operator, counts and displacements.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/buffers/memory.hpp"
#include "ops/call/block_arrays.hpp"
#include "ops/call/messaging.hpp"
#include "ops/call/topology.hpp"
#include "ops/memory/memory_call.hpp"
#include "ops/operation.hpp"
#include "ops/overlap/overlap.hpp"
#include "record/cell.hpp"

namespace invar::ops {

// What an operation says of blocks of different lengths, where that cannot be right; empty: it can.
std::string wrong_distribution(const Operation& operation);

class CallSetup {
 public:
  // `operation` is the one that the cell calls (operation_for(), overlapped()), and outlives the
  // setup.
  // Collective over the communicator: operations with neighbours get one of their own, with the
  // cell's topology, those that send messages a duplicate (Peers::other). An empty datatype is
  // byte, or int32 where the operation reduces; an empty reduction is the datatype's usual one, an
  // empty topology a ring. The communicator's error handler is left as it is (it must return
  // errors).
  CallSetup(const record::Cell& cell, const Operation& operation, MPI_Comm comm);
  CallSetup(const CallSetup&) = delete;
  CallSetup& operator=(const CallSetup&) = delete;
  CallSetup(CallSetup&& other) noexcept;
  CallSetup& operator=(CallSetup&&) = delete;
  ~CallSetup();

  // Why the cell cannot be called, all reasons; empty: it can. The same on all ranks.
  [[nodiscard]] std::span<const std::string> errors() const { return errors_; }
  // Why the operation refuses these ranks, or this operator on them, or that the library has no
  // such call, though nothing is wrong with the cell; one of the errors. Empty: it does not.
  [[nodiscard]] const std::string& refused() const { return refused_; }

  // What the call needs on this rank; only without errors.
  // If the root rotates, enough for every root.
  [[nodiscard]] BufferNeed need() const { return need_; }
  // Collective for persistent operations, whose requests are made anew; the root is back at its
  // start. The buffers of a visit get its pattern, as for a check; without one they keep what is
  // there, as far as it is fit to calculate with. Returns an MPI error code.
  int place(const Placement& placement, std::optional<std::uint32_t> visit = std::nullopt);
  // From the next place() on, where blocks are to lie otherwise than in the order of the ranks; for
  // checks, because everything else takes them to be in that order.
  void lay_out(BlockOrder order);
  // The arrays of a v-form take memory for every rank, so that only the setup in use has them:
  // put_away() frees them, and with them the requests of a persistent operation, whose arrays they
  // are; place() makes them again, as does place_again(), where the buffers were last. Both are
  // collective, so that whether to call them must not depend on what this rank has put away.
  void put_away();
  int place_again();
  // Bytes of the arrays that it has now.
  [[nodiscard]] std::uint64_t array_bytes() const { return arrays_ ? arrays_->held_bytes() : 0; }

  // Valid while the setup lives; it has no buffers before place().
  [[nodiscard]] Call& call() { return call_; }
  [[nodiscard]] const Call& call() const { return call_; }
  // Marks go where nobody reads them; so it is before a visit sends them elsewhere.
  void forget_marks();

 private:
  void choose_root(const record::Cell& cell);
  void choose_role(const record::Cell& cell);
  void choose_marks(const record::Cell& cell);
  void choose_form(const record::Cell& cell);
  void choose_type(const record::Cell& cell);
  void choose_count(const record::Cell& cell);
  void choose_segment(const record::Cell& cell);
  void choose_neighbours(const record::Cell& cell);
  void choose_peers(const record::Cell& cell);
  void choose_overlap(const record::Cell& cell);
  void choose_memory(const record::Cell& cell);
  void choose_distribution(const record::Cell& cell);
  void check_arrays();
  void check_counted();
  void refuse(const std::string& reason);
  void equip();
  [[nodiscard]] BufferNeed most_needed();
  void make_arrays();
  void free_requests();

  const Operation* operation_;
  Call call_ = {};
  std::optional<Topology> topology_ = {};
  std::unique_ptr<Messaging> messaging_ = {};
  std::unique_ptr<Overlap> overlap_ = {};
  std::unique_ptr<MemoryCall> memory_ = {};
  std::unique_ptr<Equipment> equipment_ = {};
  std::vector<MPI_Request> requests_ = {};
  std::vector<std::int64_t> unread_marks_ = {};  // of calls that nobody times
  record::Distribution distribution_ = {};
  std::string distribution_text_ = {};
  BlockOrder order_ = BlockOrder::kRanks;
  std::unique_ptr<BlockArrays> arrays_ = {};  // of v-forms in use
  BufferNeed need_ = {};
  Placement last_placement_ = {};
  std::vector<std::string> errors_ = {};
  std::string refused_ = {};
};

}  // namespace invar::ops
