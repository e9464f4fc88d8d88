// One visit: placement, canary, synchronised repetitions, and what happened to the process
// meanwhile.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "clock/calibration.hpp"
#include "engine/page.hpp"
#include "engine/probes.hpp"
#include "engine/segment.hpp"
#include "engine/turns.hpp"
#include "ops/setup.hpp"
#include "record/launch_spec.hpp"
#include "record/plan.hpp"

namespace invar::engine {

struct VisitContext {
  const Page& page;
  Turns& turns;
  const record::LaunchSpec& spec;
  MPI_Comm sync_comm;  // carries barriers only
  double ticks_per_s;  // rough; for limits and slack, never for results
  std::uint32_t rank;
  bool canary;  // two ranks here, each on a core of its own
};

// Measures with one clock and one synchronisation; made once a launch.
class Visitor {
 public:
  virtual ~Visitor() = default;
  // `setup` has its buffers. `warm_up`: repetitions for the synchronisations that cannot agree on
  // them while they run. Appends a note and ticks to `segment`, which has room.
  virtual void visit(const record::PlanRow& row, const ops::Operation& operation,
                     const ops::Call& call, std::uint32_t warm_up, std::uint32_t capacity,
                     bool first_of_round, Segment& segment) = 0;
  // Ticks of one call, the smallest of `tries`: not recorded, for warm-up and time limits.
  virtual std::int64_t call_ticks(const ops::Operation& operation, const ops::Call& call,
                                  int tries) = 0;
  [[nodiscard]] virtual clock::Bracket bracket() const = 0;
  [[nodiscard]] virtual clock::Quality quality() const = 0;
  // Bounds of the clock's offset between local rank 0 and `other`; called by both.
  virtual OffsetBounds offset(std::uint32_t other) = 0;
};

// Throws base::UserError for combinations that measure nothing (MPI_Wtime with round-time).
std::unique_ptr<Visitor> make_visitor(const VisitContext& context, clock::Source source);

}  // namespace invar::engine
