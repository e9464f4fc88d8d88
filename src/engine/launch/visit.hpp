// One visit: placement, canary, synchronised repetitions, and what happened to the process
// meanwhile.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "clock/ticks.hpp"
#include "engine/clocks/clocks.hpp"
#include "engine/clocks/global_clock.hpp"
#include "engine/launch/segment.hpp"
#include "engine/launch/team.hpp"
#include "engine/memory/reference.hpp"
#include "engine/timed/delay.hpp"
#include "engine/timed/kernel_counters.hpp"
#include "group/page.hpp"
#include "group/turns.hpp"
#include "ops/buffers/cold.hpp"
#include "ops/call/setup.hpp"
#include "record/launch_spec.hpp"
#include "record/plan.hpp"

namespace invar::engine {

struct VisitContext {
  const group::Page& page;
  group::Turns& turns;
  const record::LaunchSpec& spec;
  double ticks_per_s;         // rough; for limits and slack, never for results
  double global_ticks_per_s;  // the same of global time
  std::uint32_t rank;         // in the launch
  bool canary;                // taken: every rank here has a core of its own
  ops::ColdCache& cold;
  const Clocks& clocks;
  StealCounter& steal;
  const DelayRate& delay;
  // The global time of the clock that measures; null: the ranks of a visit read one clock.
  const GlobalClock* global = nullptr;
  bool rank_domains = false;     // every rank is a clock domain of its own
  bool growing_windows = false;  // of window synchronisation: they never shrink
};

// A visit as one rank makes it.
struct VisitOrder {
  const record::PlanRow& row;
  const record::Cell& cell;
  const Team& team;
  const ops::Operation& operation;
  ops::CallSetup& setup;  // placed
  ops::Placement placement;
  std::uint32_t warm_up = 0;            // for synchronisations that cannot agree on it under way
  std::uint32_t capacity = 0;           // repetitions at most
  std::uint32_t measured_capacity = 0;  // the same without warm-up
  double call_s = 0;                    // roughly, of one call, with what it computes
  double late_by_call_s = 0;            // of the call that multiples in an arrival pattern speak of
  std::uint64_t compute_steps = 0;      // of this rank in every call, meanwhile
  std::uint64_t delay_steps = 0;        // between two messages of a window (Peers::delay_steps)
  // All that are called, where those that stand by do something: they begin together with the
  // members (arm_barrier()). Null: they sleep.
  MPI_Comm others = MPI_COMM_NULL;
  bool first_of_round = false;
  Reference* reference = nullptr;  // of memory operations; null: this visit takes none
};

// Measures with one clock and one synchronisation.
class Visitor {
 public:
  virtual ~Visitor() = default;
  // By every member of the team. Appends a note and ticks to `segment`, which has room.
  virtual void visit(const VisitOrder& order, Segment& segment) = 0;
  // Ticks of one call, the smallest of `tries`: not recorded, for warm-up and time limits. By every
  // member of the team. `until_known`: until all ranks know that all are through, by a barrier.
  virtual std::int64_t call_ticks(const Team& team, const ops::Operation& operation,
                                  ops::Call& call, int tries, bool until_known) = 0;
  // Ticks of one call in a batch of so many that it lasts `enough_ticks` on some rank, the slowest
  // rank's. By every member of the team; only where calls may follow each other without anything in
  // between (Cells::time_call).
  virtual double batch_call_ticks(const Team& team, const ops::Operation& operation,
                                  ops::Call& call, std::int64_t enough_ticks) = 0;
};

// Throws base::UserError for combinations that measure nothing (MPI_Wtime with round-time).
std::unique_ptr<Visitor> make_visitor(const VisitContext& context, clock::Source source,
                                      const std::string& sync);

}  // namespace invar::engine
