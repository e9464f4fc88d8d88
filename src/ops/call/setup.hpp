// From a cell of the plan to a call: datatype, operator, counts and displacements.
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/buffers/memory.hpp"
#include "ops/call/topology.hpp"
#include "ops/operation.hpp"
#include "record/cell.hpp"

namespace invar::ops {

class CallSetup {
 public:
  // Collective over the communicator: operations with neighbours get one of their own, with the
  // cell's topology. An empty datatype is byte, or int32 where the operation reduces; an empty
  // reduction is the datatype's usual one, an empty topology a ring. The communicator's error
  // handler is left as it is (it must return errors).
  CallSetup(const record::Cell& cell, const Operation& operation, MPI_Comm comm);
  CallSetup(const CallSetup&) = delete;
  CallSetup& operator=(const CallSetup&) = delete;
  CallSetup(CallSetup&& other) noexcept;
  CallSetup& operator=(CallSetup&&) = delete;
  ~CallSetup();

  // Why the cell cannot be called, all reasons; empty: it can. The same on all ranks.
  [[nodiscard]] std::span<const std::string> errors() const { return errors_; }

  // What the call needs on this rank; only without errors.
  // If the root rotates, enough for every root.
  [[nodiscard]] BufferNeed need() const;
  // Collective for persistent operations, whose requests are made anew; the root is back at its
  // start. The buffers of a visit get its pattern, as for a check; without one they keep what is
  // there, as far as it is fit to calculate with. Returns an MPI error code.
  int place(const Placement& placement, std::optional<std::uint32_t> visit = std::nullopt);

  // Valid while the setup lives; it has no buffers before place().
  [[nodiscard]] Call& call() { return call_; }
  [[nodiscard]] const Call& call() const { return call_; }
  // Marks go where nobody reads them; so it is before a visit sends them elsewhere.
  void forget_marks();

 private:
  void choose_root(const record::Cell& cell);
  void choose_role(const record::Cell& cell);
  void choose_form(const record::Cell& cell);
  void choose_type(const record::Cell& cell);
  void choose_count(const record::Cell& cell);
  void choose_neighbours(const record::Cell& cell);
  void choose_arrays();
  void free_requests();

  const Operation* operation_;
  Call call_ = {};
  std::optional<Topology> topology_ = {};
  std::vector<MPI_Request> requests_ = {};
  std::vector<std::int64_t> unread_marks_ = {};  // of calls that nobody times
  std::vector<int> counts_ = {};
  std::vector<int> displacements_ = {};
  std::vector<int> byte_displacements_ = {};
  std::vector<MPI_Aint> address_displacements_ = {};
  std::vector<MPI_Datatype> types_ = {};
  std::vector<std::string> errors_ = {};
};

}  // namespace invar::ops
