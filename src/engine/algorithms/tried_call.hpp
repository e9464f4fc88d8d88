// A call as a probe makes it: on a communicator of its own, made while the library is told what the
// try says.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/algorithms/switches.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "record/algorithms/tries.hpp"

namespace invar::engine {

class TriedCall {
 public:
  // Collective over `world`: ranks of equal `group` make a call together. Throws std::runtime_error
  // where the library cannot be told, on this rank alone.
  TriedCall(MPI_Comm world, int group, const record::Try& order);
  TriedCall(const TriedCall&) = delete;
  TriedCall& operator=(const TriedCall&) = delete;
  ~TriedCall();

  // Why there is no such call; empty: there is. The same on all ranks of the group.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  [[nodiscard]] const ops::Operation& operation() const { return *operation_; }
  // Placed, its buffers filled. Only where nothing was refused.
  [[nodiscard]] ops::Call& call() { return setup_->call(); }
  [[nodiscard]] ops::Around* calling() const { return calling_.get(); }

 private:
  void prepare(const record::Cell& cell);

  const ops::Operation* operation_ = nullptr;
  std::unique_ptr<Switches> switches_ = {};
  std::unique_ptr<ops::Around> calling_ = {};
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::optional<ops::CallSetup> setup_ = {};
  std::unique_ptr<ops::Arena> arena_ = {};
  std::string refused_ = {};
};

// The cell of a try; its datatype and operator are the usual ones. `ranks`: of the group.
record::Cell cell_of(const record::Try& order, std::uint32_t ranks);

}  // namespace invar::engine
