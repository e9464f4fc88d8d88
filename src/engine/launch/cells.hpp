// The cells that this arm measures in a launch: who takes part in each, what its call needs, which
// clock and synchronisation measure it, whether it works, how long it warms up.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "clock/ticks.hpp"
#include "engine/algorithms/switches.hpp"
#include "engine/clocks/clocks.hpp"
#include "engine/clocks/global_clock.hpp"
#include "engine/launch/host.hpp"
#include "engine/launch/launch_facts.hpp"
#include "engine/launch/recorder.hpp"
#include "engine/launch/segment.hpp"
#include "engine/launch/team.hpp"
#include "engine/launch/visit.hpp"
#include "engine/memory/memory_cells.hpp"
#include "engine/timed/compute_rates.hpp"
#include "engine/timed/delay.hpp"
#include "engine/timed/kernel_counters.hpp"
#include "engine/timed/settle.hpp"
#include "group/page.hpp"
#include "group/steps.hpp"
#include "group/turns.hpp"
#include "ops/buffers/cold.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/agree.hpp"
#include "ops/call/around.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/overlap/overlap.hpp"
#include "record/launch_spec.hpp"
#include "record/p2p/levels.hpp"
#include "record/plan.hpp"

namespace invar::engine {

// Belongs to a launch, and outlives its cells.
struct CellsContext {
  MPI_Comm world;           // all ranks of the arm
  const MPI_Comm& control;  // the same; made after the cells' own communicators
  const Hosts& hosts;
  const std::vector<std::string>& rank_hosts;  // name of every rank's host, on rank 0
  const record::LaunchSpec& spec;
  const record::Plan& plan;
  const group::StepLimits& limits;
  Clocks& clocks;
  const GlobalClocks& global_clocks;
};

// All calls are collective over the arm, and come in this order; visit() as often as the plan says.
class Cells {
 public:
  // Makes teams, their communicators and calls, and the memory of their buffers; puts the clocks
  // that the cells ask for into use. Throws base::UserError with all faults of all cells.
  explicit Cells(const CellsContext& launch);
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  // The teams, whose communicators for barriers are made next.
  [[nodiscard]] Teams& teams() { return teams_; }

  // One visitor for every combination of clock and synchronisation that the cells ask for, once the
  // clocks are measured and synchronised. `page` and `turns` outlive this. Throws base::UserError
  // where clocks differ too much for a cell's synchronisation.
  void make_visitors(const group::Page& page, group::Turns& turns);
  // Calls every cell once where its result can be seen: for the first root and the last one, where
  // the root rotates; then until the library has touched what memory it needs for it. One that is
  // wrong goes to the recorder and is not visited.
  void verify(const group::Page& page, Recorder& recorder);
  // Barriers leave no room to agree while repetitions run, so a cell's warm-up is fixed here. What
  // a call takes in a batch is measured for the driver, which decides on batches after the pilot
  // group. A cell whose arrays or requests cannot be made again goes to the recorder and is not
  // visited.
  void agree_on_warm_up(const group::Page& page, Recorder& recorder);
  // Where a cell has a planted delay, computes meanwhile, or has delays between its messages: how
  // long a step of a chain takes on this core, or a line of memory; and how many steps these are.
  void measure_delays();
  // Makes the visit of the plan's row `row_index`; notes it in `segment`, which has room.
  void visit(std::uint32_t row_index, Segment& segment);
  // What those do that stand by in that visit: nothing, where it is not made. Known to all ranks.
  [[nodiscard]] record::Others others(std::uint32_t row_index) const;
  // Whether the result of that visit is to be checked; known to all ranks.
  [[nodiscard]] bool checks(std::uint32_t row_index) const;
  // Does so, after all ranks of the arm have left the visit, the last one in `segment`: what its
  // last repetition left in the buffers, or where that says nothing of it (ops/verify.hpp) what one
  // more call leaves. A wrong result goes to the recorder, and the cell is not visited any more.
  // Notes in `segment` that it was looked at.
  void check_visit(std::uint32_t row_index, Segment& segment, const group::Page& page,
                   Recorder& recorder);
  // At the end. Not done by the destructor: while an error unwinds, the other ranks do not take
  // part.
  void free();

  // The cell must be one that this arm visits.
  [[nodiscard]] const Team& team(std::uint32_t id) const { return *cells_[id].team; }
  // Inside a call, of the operation that has most.
  [[nodiscard]] std::uint32_t most_marks() const { return most_marks_; }
  // Collective; on rank 0 of all cells that this arm visits, in the order of Cell::id, elsewhere
  // none.
  [[nodiscard]] std::vector<CellBuffers> buffers() const;
  // By Cell::id, of the cells that passed.
  [[nodiscard]] const std::map<std::uint32_t, BatchCall>& batch_calls() const {
    return batch_calls_;
  }
  // By Cell::id, of the cells whose result is right.
  [[nodiscard]] const std::map<std::uint32_t, Settled>& settling() const { return settling_; }
  // By Cell::id, of cells of memory operations; this rank's.
  [[nodiscard]] std::map<std::uint32_t, MemoryFacts> memory_facts() const;
  [[nodiscard]] const DelayRate& delay_rate() const { return delay_; }
  [[nodiscard]] const ComputeRates& compute_rates() const { return compute_; }

 private:
  struct PlannedCell {
    // As the cell calls it: `special`, where it has one of its own, else that of the catalogue.
    const ops::Operation* operation = nullptr;
    std::optional<ops::Operation> special = {};
    const Team* team = nullptr;
    Visitor* visitor = nullptr;
    clock::Source clock = clock::Source::kMonotonicRaw;
    std::unique_ptr<ops::Around> around = {};  // holds in its calls; null: nothing has to
    std::optional<ops::CallSetup> setup = {};  // of those who are called
    std::uint32_t warm_up = 0;
    double call_s = 0;  // roughly, the slowest rank's; with what it computes
    // That of the cell by whose call it is late, or computes (late_by_cells), without what that
    // computes; of late messages until their partners know of it (time_until_known).
    double late_by_call_s = 0;
    double compute_s = 0;             // asked for; 0: it computes nothing
    std::uint64_t compute_steps = 0;  // of this rank
    double delay_s = 0;               // between two messages of a window; 0: none
    std::uint64_t delay_steps = 0;
    std::uint32_t visits = 0;  // made so far
    bool failed = false;
    bool used = false;  // this arm visits it in this launch
  };

  // False: there is none, or it cannot be called as the cell wants it.
  bool choose_operation(const record::Cell& cell, PlannedCell& planned, base::Faults& faults);
  // The cell is not visited: how much a multiple of its call is nobody knows.
  void fail_without_call(std::uint32_t id, Recorder& recorder);
  void make_setup(const record::Cell& cell, PlannedCell& planned, base::Faults& faults);
  // The first failure of any rank.
  ops::Outcome check(std::uint32_t id);
  void verify_cell(std::uint32_t id, Recorder& recorder);
  // For a rank that is called: looks at the result of the last repetition, or of one more call.
  ops::Outcome check_left(const record::Cell& levels);
  // All ranks learn what those that are called agreed on; a failure is written down.
  void settle_outcome(std::uint32_t id, const ops::Outcome& outcome, const std::string& place,
                      Recorder& recorder);
  void tell_settling();
  // What only memory operations may ask for, or may not; complaints go to `faults`.
  void prepare_memory(const record::Cell& cell, const PlannedCell& planned, base::Faults& faults);
  // The arrays of v-forms are those of one cell at a time: what was in use before is put away.
  ops::CallSetup& in_use(std::uint32_t id);
  // Collective over those who are called, for operations with arrays: they are there on every rank
  // afterwards, or the outcome says on which they are not.
  ops::Outcome make_arrays_again(std::uint32_t id);
  // Collective over the members, in a visit for which place() returned `error` on this rank.
  [[nodiscard]] bool all_have_requests(const PlannedCell& cell, int error) const;
  // Decides how many passes a repetition makes. Does nothing unless the cell is one on memory.
  void decide_passes(std::uint32_t id);
  // Seconds that a call takes on this rank, at least 1e-12; notes what it takes in a batch.
  double time_until_known(std::uint32_t id);
  double time_call(std::uint32_t id);
  [[nodiscard]] ops::Placement place(std::initializer_list<std::uint64_t> draw,
                                     const record::Cell& cell, ops::CallSetup& setup);

  CellsContext launch_;
  int rank_ = 0;
  bool own_cores_;                           // every rank stays on a core of its own
  double share_;                             // of the visits, to be checked
  std::vector<bool> checked_ = {};           // by row of the plan
  std::vector<bool> in_parts_;               // by Cell::id: called in two parts
  std::unique_ptr<Switches> switches_ = {};  // null: no cell is told an algorithm
  bool some_told_ = false;                   // some cell is, of whatever arm
  Teams teams_;
  std::vector<PlannedCell> cells_ = {};  // by Cell::id
  ops::CallSetup* used_last_ = nullptr;
  MemoryCells memory_ = {};
  std::optional<ops::ColdCache> cold_ = {};
  StealCounter steal_ = {};
  DelayRate delay_ = {};
  ComputeRates compute_ = {};
  std::unique_ptr<ops::ComputeMemory> compute_memory_ = {};  // null: no rank streams memory
  // By clock, synchronisation, whether global time is modelled, whether windows only grow.
  std::map<std::tuple<clock::Source, std::string, bool, bool>, std::unique_ptr<Visitor>> visitors_ =
      {};
  std::optional<std::uint32_t> last_round_ = {};
  std::map<std::uint32_t, BatchCall> batch_calls_ = {};
  std::map<std::uint32_t, Settled> settling_ = {};
  std::map<std::uint32_t, ops::BufferNeed> buffers_ = {};  // by Cell::id, this rank's
  std::uint32_t most_marks_ = 0;
};

}  // namespace invar::engine
