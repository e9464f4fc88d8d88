// Collectives of which every byte is looked at: drawn operations, sizes, roots, datatypes,
// operators, distributions and data, verified as before a measurement (ops/verify.hpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/agree.hpp"
#include "ops/call/setup.hpp"
#include "ops/operation.hpp"
#include "ops/stress/stress_messages.hpp"
#include "ops/stress/stress_plan.hpp"
#include "record/cell.hpp"
#include "record/stress/stress_order.hpp"
#include "record/stress/stress_state.hpp"

namespace invar::ops {

class StressCollectives {
 public:
  // Collective: makes a communicator. Ranks agree on `control`. Everything outlives it.
  StressCollectives(MPI_Comm world, MPI_Comm control, const record::StressOrder& order,
                    const StressPlan& plan, record::StressState& state, TellStressFault tell);
  StressCollectives(const StressCollectives&) = delete;
  StressCollectives& operator=(const StressCollectives&) = delete;
  ~StressCollectives();

  // What came of check number `number`.
  enum class Checked {
    kRight,
    kWrong,  // on this rank or on another one: whoever has seen it has told
    kNone,   // nothing that was drawn fits these ranks
  };
  // Collective; all ranks return the same.
  [[nodiscard]] Checked check(std::uint64_t number);

 private:
  // A cell of the operation about that size.
  [[nodiscard]] record::Cell drawn_cell(const Operation& operation, std::uint64_t size_bytes,
                                        base::Random& random) const;
  // None where the cell cannot be called, or its buffers are too large.
  [[nodiscard]] std::optional<Checked> checked_cell(const Operation& stated,
                                                    const record::Cell& cell, std::uint64_t number,
                                                    base::Random& random);
  [[nodiscard]] bool is_right(const Operation& operation, CallSetup& setup,
                              const record::Cell& cell, std::uint64_t number, base::Random& random);
  [[nodiscard]] bool all_agree(const record::StressFault* fault);

  const StressPlan& plan_;
  record::StressState& state_;
  TellStressFault tell_;
  MPI_Comm comm_;
  Circle circle_;
  int rank_ = 0;
  std::uint64_t seed_;
  std::uint64_t most_bytes_;
  std::vector<const Operation*> operations_ = {};
  std::optional<Arena> arena_ = {};
};

}  // namespace invar::ops
