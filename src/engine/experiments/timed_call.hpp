// The operation that an experiment with clocks times: its buffers, its communicator, and the check
// that it computes what it must.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "engine/experiments/clock_setting.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"

namespace invar::engine {

class TimedCall {
 public:
  // Collective. Throws base::UserError for an operation that this engine does not have or cannot
  // call so, base::CommandError (measurement failed) for one that computes wrongly.
  explicit TimedCall(ClockSetting& setting);
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;

  // Collective. Not done by the destructor: while an error unwinds, the other ranks do not take
  // part.
  void free();

  [[nodiscard]] const ops::Operation& operation() const { return *operation_; }
  [[nodiscard]] ops::Call& call() { return setup_->call(); }
  // Used by synchronisations, apart from the operation's.
  [[nodiscard]] MPI_Comm sync_comm() const { return sync_comm_; }
  // Collective. Throws base::CommandError where a call of any rank returned an error.
  void fail_if(int error) const;

 private:
  ClockSetting& setting_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm sync_comm_ = MPI_COMM_NULL;
  const ops::Operation* operation_ = nullptr;
  // Ranks without a part in it return at once: all are in the experiment, and none may call it.
  std::optional<ops::Operation> standing_by_ = {};
  std::optional<ops::CallSetup> setup_ = {};
  std::unique_ptr<ops::Arena> arena_ = {};
};

}  // namespace invar::engine
