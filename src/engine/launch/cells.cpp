#include "engine/launch/cells.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "base/random.hpp"
#include "engine/clocks/clocks_apart.hpp"
#include "engine/launch/factor_hooks.hpp"
#include "engine/machine/machine.hpp"
#include "group/checked_visits.hpp"
#include "host/policy.hpp"
#include "ops/verify.hpp"
#include "record/algorithms/algorithm_level.hpp"
#include "record/arrival.hpp"
#include "record/memory/levels.hpp"
#include "record/p2p/cell_roles.hpp"
#include "record/p2p/compute_level.hpp"
#include "record/p2p/message_factors.hpp"
#include "record/p2p/overlap_cells.hpp"
#include "record/p2p/train_delay.hpp"
#include "record/placement.hpp"
#include "record/scheme.hpp"
#include "record/synchronisation.hpp"

namespace invar::engine {
namespace {

constexpr int kTries = 3;  // of a call that is timed before anything is measured
constexpr std::uint64_t kPlacementStream = 0x706c616365;  // "place"

double share_of_visits(const record::LaunchSpec& spec) {
  if (const auto share = record::share_of(spec.verification)) return *share;
  throw base::UserError("launch.spec", "'" + spec.verification + "' is not a share of the visits");
}

bool streams_memory(const record::Cell& cell) {
  return cell.compute != record::Cell().compute &&
         cell.compute_kernel == record::kComputeKernels.back();
}

// Stands for a persistent operation in a visit for which some rank could not make its request.
ops::Operation not_called(ops::Operation operation) {
  operation.call = [](ops::Call& /*call*/) -> int { return MPI_ERR_REQUEST; };
  return operation;
}

}  // namespace

Cells::Cells(const CellsContext& launch)
    : launch_(launch),
      own_cores_(launch.spec.pinning == "core" && !launch.spec.oversubscribe),
      share_(share_of_visits(launch.spec)),
      checked_(group::checked_visits(launch.plan.rows, launch.spec.arms[launch.spec.arm],
                                     launch.spec.seed, share_)),
      in_parts_(record::called_in_parts(launch.plan.cells)),
      switches_(launch.spec.switches.empty()
                    ? nullptr
                    : std::make_unique<Switches>(launch.spec.switches, "launch.spec")),
      teams_(launch.world, launch.hosts, launch.spec.seed + launch.spec.group, factor_hooks(),
             making_of(launch.spec.communicator), switches_.get()) {
  MPI_Comm_rank(launch_.world, &rank_);
  some_told_ = std::ranges::any_of(launch_.plan.cells, [](const record::Cell& cell) {
    return cell.algorithm != record::kAsGivenAlgorithm;
  });
  cells_.resize(launch_.plan.cells.size());
  for (const record::PlanRow& row : launch_.plan.rows) {
    if (row.arm == launch_.spec.arms[launch_.spec.arm]) cells_[row.cell].used = true;
  }
  base::Faults faults;
  bool cycles = false;
  ops::BufferNeed largest;
  for (const record::Cell& cell : launch_.plan.cells) {
    PlannedCell& planned = cells_[cell.id];
    if (!planned.used) continue;
    if (!choose_operation(cell, planned, faults)) continue;
    make_setup(cell, planned, faults);
    if (!planned.setup || !planned.setup->errors().empty()) continue;
    const ops::BufferNeed need = planned.setup->need();
    memory_.note_need(cell, need);
    prepare_memory(cell, planned, faults);
    buffers_[cell.id] = need;
    if (cell.cache != "cold-cycle") continue;
    cycles = true;
    largest.send_bytes = std::max(largest.send_bytes, need.send_bytes);
    largest.recv_bytes = std::max(largest.recv_bytes, need.recv_bytes);
    largest.scratch_bytes = std::max(largest.scratch_bytes, need.scratch_bytes);
  }
  faults.throw_if_any();
  for (const std::uint32_t failed : launch_.spec.failed_cells) {
    if (failed < cells_.size()) cells_[failed].failed = true;
  }
  memory_.make_arenas();
  cold_.emplace(cycles, largest);
}

bool Cells::choose_operation(const record::Cell& cell, PlannedCell& planned, base::Faults& faults) {
  planned.operation = ops::find_operation(cell.operation);
  if (planned.operation == nullptr) {
    faults.add("visits.csv", "this engine has no operation '" + cell.operation + "'");
    return false;
  }
  if (planned.operation->of_cell != nullptr) {
    planned.special = ops::operation_for(*planned.operation, cell);
    planned.operation = &*planned.special;
  }
  if (!in_parts_[cell.id]) return true;
  if (planned.operation->start != nullptr) {
    planned.special = ops::overlapped(*planned.operation, cell);
    planned.operation = &*planned.special;
    return true;
  }
  // Beside cells that compute there may be others in the family.
  if (cell.compute == record::Cell().compute) return true;
  faults.add("visits.csv", record::cell_text(cell) +
                               ": it has no start and end between which its ranks could compute");
  return false;
}

void Cells::make_setup(const record::Cell& cell, PlannedCell& planned, base::Faults& faults) {
  const bool told = switches_ != nullptr && switches_->find(cell) != nullptr;
  if (cell.algorithm != record::kAsGivenAlgorithm && !told) {
    faults.add("launch.spec", record::cell_text(cell) + ": nothing says how the library is told");
    return;
  }
  planned.team = &teams_.of(cell, *planned.operation);
  planned.clock = launch_.clocks.use(cell.clock);
  most_marks_ =
      std::max(most_marks_, static_cast<std::uint32_t>(ops::marks_in(cell, *planned.operation)));
  if (planned.team->comm() == MPI_COMM_NULL) return;
  // A setup may make communicators of its own: those of a topology.
  ops::Hooks around;
  add_communicator_hooks({.cell = cell, .switches = switches_.get()}, *planned.operation, around);
  planned.setup.emplace(cell, *planned.operation, planned.team->comm());
  if (switches_) {
    planned.around = switches_->calling(cell);
  } else if (some_told_) {
    planned.around = calling_untold();
  }
  planned.setup->call().around = planned.around.get();
  ops::Overlap* const overlap = planned.setup->call().overlap;
  if (overlap != nullptr && overlap->here && streams_memory(cell)) {
    if (!compute_memory_) compute_memory_ = std::make_unique<ops::ComputeMemory>();
    overlap->region = &compute_memory_->region();
  }
  for (const std::string& error : planned.setup->errors()) {
    faults.add("visits.csv", record::cell_text(cell) + ": " + error);
  }
}

void Cells::prepare_memory(const record::Cell& cell, const PlannedCell& planned,
                           base::Faults& faults) {
  if (planned.operation->walks == 0) return;
  if (!Machine::computing_takes_time()) {
    faults.add("visits.csv", record::cell_text(cell) +
                                 ": in a simulator the memory of this machine takes no time");
    return;
  }
  // Before anything is measured: a rank that is refused later ends a launch half-way.
  try {
    host::PolicyGuard guard(record::parse_policy(cell.policy).value_or(record::Policy{}));
    if (const std::string left = guard.restore(); !left.empty()) faults.add("launch", left);
  } catch (const base::UserError& error) {
    faults.add("launch", error.what());
  }
  if (own_cores_ && planned.team->member() && planned.team->local_index() == 0) {
    memory_.need_reference();
  }
}

std::map<std::uint32_t, MemoryFacts> Cells::memory_facts() const {
  std::map<std::uint32_t, MemoryFacts> facts;
  for (std::uint32_t id = 0; id < cells_.size(); ++id) {
    const PlannedCell& cell = cells_[id];
    if (!cell.used || cell.failed || !cell.setup) continue;
    const ops::MemoryCall* const memory = cell.setup->call().memory;
    if (memory == nullptr) continue;
    facts[id] = {
        .width_bytes = memory->width_bytes, .elements = memory->elements, .passes = memory->passes};
  }
  return facts;
}

void Cells::free() {
  used_last_ = nullptr;
  cells_.clear();
  teams_.free();
  switches_.reset();  // before MPI_Finalize
}

void Cells::make_visitors(const group::Page& page, group::Turns& turns) {
  for (const record::Cell& cell : launch_.plan.cells) {
    PlannedCell& planned = cells_[cell.id];
    if (!planned.used) continue;
    const GlobalClock* global =
        launch_.global_clocks.between(*planned.team, launch_.clocks, planned.clock);
    const bool one_host = planned.team->one_host();
    const bool one_clock =
        launch_.clocks.one_time(planned.clock, one_host) || (one_host && !own_cores_);
    if (record::synchronisation(cell.sync).needs_common_clock && !one_clock && global == nullptr) {
      const record::LaunchSpec& spec = launch_.spec;
      throw base::UserError(
          "launch",
          clocks_apart_text(
              {.cell = record::cell_text(cell),
               .one_host = planned.team->one_host(),
               .own_cores = own_cores_,
               .expected = GlobalClocks::expected(launch_.hosts.count, spec.virtual_clocks),
               .synchronised = spec.clock_sync != record::kNoClockSync}),
          "use sync = \"barrier\"");
    }
    const record::Scheme* scheme = record::find_scheme(cell.scheme);
    const bool growing = scheme != nullptr && scheme->growing_windows;
    std::unique_ptr<Visitor>& visitor =
        visitors_[{planned.clock, cell.sync, global != nullptr, growing}];
    if (!visitor) {
      visitor = make_visitor(
          {.page = page,
           .turns = turns,
           .spec = launch_.spec,
           .ticks_per_s = launch_.clocks.state(planned.clock).ticks_per_s,
           .global_ticks_per_s = launch_.clocks.state(planned.clock).global_ticks_per_s,
           .rank = static_cast<std::uint32_t>(rank_),
           .canary = own_cores_,
           .cold = *cold_,
           .clocks = launch_.clocks,
           .steal = steal_,
           .delay = delay_,
           .global = global,
           .rank_domains =
               !Machine::shares_memory() || (global != nullptr && global->rank_domains()),
           .growing_windows = growing},
          planned.clock, cell.sync);
    }
    planned.visitor = visitor.get();
  }
}

ops::CallSetup& Cells::in_use(std::uint32_t id) {
  ops::CallSetup& setup = *cells_[id].setup;
  if (used_last_ != nullptr && used_last_ != &setup) used_last_->put_away();
  used_last_ = &setup;
  return setup;
}

// A fresh place for every draw, or always the same one.
ops::Placement Cells::place(std::initializer_list<std::uint64_t> draw, const record::Cell& cell,
                            ops::CallSetup& setup) {
  if (cell.allocation == record::kAllocations.back()) return memory_.allocate_anew(setup.need());
  const ops::Arena& arena = memory_.arena_of(cell);
  if (const auto offset = record::fixed_offset(cell.placement)) {
    return arena.place_at(*offset, setup.need());
  }
  base::Random random =
      cell.placement == "same"
          ? base::Random::of({kPlacementStream, static_cast<std::uint64_t>(rank_)})
          : base::Random::of(draw);
  return arena.place(random, setup.need());
}

ops::Outcome Cells::check(std::uint32_t id) {
  PlannedCell& cell = cells_[id];
  if (cell.team->comm() == MPI_COMM_NULL) return {};
  const std::uint64_t rank = static_cast<std::uint64_t>(rank_);
  const int error = in_use(id).place(
      place({launch_.spec.seed, kPlacementStream, launch_.spec.launch, 0, id, rank},
            launch_.plan.cells[id], *cell.setup));
  ops::Call& call = cell.setup->call();
  // Nothing of ours on the operation's communicator: it may have receives posted there.
  const ops::Circle circle{.comm = launch_.control, .ranks = cell.team->called()};
  ops::Outcome outcome = ops::agree(
      circle, error == MPI_SUCCESS ? "" : ops::mpi_error_text(cell.operation->name, error));
  if (outcome.passed()) outcome = ops::check_once(*cell.operation, call, circle);
  if (outcome.passed() && call.rotates) {
    call.root = call.ranks - 1;
    outcome = ops::check_once(*cell.operation, call, circle);
  }
  if (!outcome.passed()) return outcome;
  std::string failure;
  if (cell.team->member()) {
    const Settled settled = settle(*cell.operation, call, cell.team->sync_comm());
    settling_[id] = settled;
    if (settled.error != MPI_SUCCESS) {
      failure = ops::mpi_error_text(cell.operation->name, settled.error);
    }
  }
  return ops::agree(circle, failure);
}

void Cells::verify_cell(std::uint32_t id, Recorder& recorder) {
  settle_outcome(id, check(id), "", recorder);
}

void Cells::settle_outcome(std::uint32_t id, const ops::Outcome& outcome, const std::string& place,
                           Recorder& recorder) {
  PlannedCell& cell = cells_[id];
  // Rank 0 is called in every cell.
  int failed = outcome.passed() ? 0 : 1;
  MPI_Bcast(&failed, 1, MPI_INT, 0, launch_.control);
  if (failed == 0) return;
  cell.failed = true;
  const auto rank =
      cell.team->called()[static_cast<std::size_t>(std::max(outcome.first_failed_rank, 0))];
  recorder.failure({.cell = id,
                    .kind = ops::is_mpi_error(outcome.what) ? "MPI error" : "wrong result",
                    .reason = place + outcome.text(),
                    .rank = rank,
                    .host = rank_ == 0 ? launch_.rank_hosts.at(rank) : std::string()});
}

void Cells::verify(const group::Page& page, Recorder& recorder) {
  for (std::uint32_t id = 0; id < cells_.size(); ++id) {
    const PlannedCell& cell = cells_[id];
    if (!cell.used || cell.failed) continue;
    page.note({group::Activity::kPreparing, id + 1});
    verify_cell(id, recorder);
  }
  page.note({group::Activity::kPreparing});
  tell_settling();
}

// Rank 0 writes down what only those know that took part; for these it is the same number.
void Cells::tell_settling() {
  constexpr std::size_t kNumbers = 5;
  std::vector<std::int64_t> numbers(cells_.size() * kNumbers, 0);
  for (const auto& [id, settled] : settling_) {
    std::int64_t* const to = &numbers[id * kNumbers];
    to[0] = 1;
    to[1] = settled.calls;
    to[2] = settled.page_faults;
    to[3] = settled.duration_ns;
    to[4] = settled.at_rest ? 1 : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T,
                MPI_MAX, launch_.control);
  for (std::uint32_t id = 0; id < cells_.size(); ++id) {
    const std::int64_t* const from = &numbers[id * kNumbers];
    if (from[0] == 0 || settling_.contains(id)) continue;
    settling_[id] = {
        .calls = from[1], .page_faults = from[2], .duration_ns = from[3], .at_rest = from[4] != 0};
  }
}

// Making requests is collective over those who are called, and what a rank has put away depends on
// the cells that it takes part in: all of them make their arrays again, whether they have to or
// not.
ops::Outcome Cells::make_arrays_again(std::uint32_t id) {
  const PlannedCell& cell = cells_[id];
  if (cell.team->comm() == MPI_COMM_NULL) return {};
  const int error = in_use(id).place_again();
  return ops::agree({.comm = launch_.control, .ranks = cell.team->called()},
                    error == MPI_SUCCESS ? "" : ops::mpi_error_text(cell.operation->name, error));
}

// A message that is on its way for longer than its call takes would still be under way when its
// receiver comes late by some calls: a barrier leaves ranks as far apart as its last message was on
// its way, and which of them is first is chance.
void Cells::decide_passes(std::uint32_t id) {
  PlannedCell& cell = cells_[id];
  ops::Call& call = cell.setup->call();
  if (call.memory == nullptr) return;
  // Since it was checked other cells may have written there, or have freed it.
  in_use(id).place(place({launch_.spec.seed, kPlacementStream, launch_.spec.launch, 0, id,
                          static_cast<std::uint64_t>(rank_)},
                         launch_.plan.cells[id], *cell.setup));
  const std::vector<std::uint32_t>& decided = launch_.spec.decided_loops;
  const double ticks_per_s = launch_.clocks.state(cell.clock).ticks_per_s;
  memory_.decide_passes(launch_.plan.cells[id], id < decided.size() ? decided[id] : 0, *call.memory,
                        cell.team->sync_comm(), [&] {
                          const std::int64_t ticks = cell.visitor->call_ticks(
                              *cell.team, *cell.operation, call, kTries, false);
                          return static_cast<double>(ticks) / ticks_per_s;
                        });
}

double Cells::time_until_known(std::uint32_t id) {
  PlannedCell& cell = cells_[id];
  const record::Arrival arrival =
      record::parse_arrival(launch_.plan.cells[id].arrival).value_or(record::Arrival());
  if (!(arrival.amplitude_calls > 0)) return 0;
  if (cell.operation->messages == record::Messages::kNone) return 0;
  return static_cast<double>(cell.visitor->call_ticks(*cell.team, *cell.operation,
                                                      cell.setup->call(), kTries, true)) /
         launch_.clocks.state(cell.clock).ticks_per_s;
}

double Cells::time_call(std::uint32_t id) {
  PlannedCell& cell = cells_[id];
  const auto ticks = static_cast<double>(
      cell.visitor->call_ticks(*cell.team, *cell.operation, cell.setup->call(), kTries, false));
  const ClockState& clock = launch_.clocks.state(cell.clock);
  const double tick_ns = 1e9 / clock.ticks_per_s;
  const auto enough =
      static_cast<std::int64_t>(std::ceil(clock.quality.step_ticks * record::kStepsOfABatch));
  // What needs something before or behind every call is never called in a row: it is timed alone.
  // Messages need what they do for every one; others have it once, as from the hook of a visit.
  const bool each =
      cell.operation->messages != record::Messages::kNone &&
      (cell.operation->before_untimed != nullptr || cell.operation->behind_untimed != nullptr);
  const bool in_a_row = cell.operation->batches && !each &&
                        record::factor_before_each_call(launch_.plan.cells[id]) == nullptr;
  const double call_ticks = in_a_row ? cell.visitor->batch_call_ticks(*cell.team, *cell.operation,
                                                                      cell.setup->call(), enough)
                                     : ticks;
  batch_calls_[id] = {.call_ns = tick_ns * call_ticks,
                      .step_ns = tick_ns * clock.quality.step_ticks};
  return std::max(1e-12, ticks / clock.ticks_per_s);
}

// Whether other cells are used and have failed is known to all ranks.
void Cells::fail_without_call(std::uint32_t id, Recorder& recorder) {
  cells_[id].failed = true;
  const std::uint32_t rank = cells_[id].team->called().front();
  recorder.failure({.cell = id,
                    .kind = std::string(record::kNoMeasure),
                    .reason = "it computes in times of a call that failed in this arm, or that is "
                              "not measured in it",
                    .rank = rank,
                    .host = rank_ == 0 ? launch_.rank_hosts.at(rank) : std::string()});
}

void Cells::agree_on_warm_up(const group::Page& page, Recorder& recorder) {
  const std::size_t cells = cells_.size();
  // For every cell: a call alone, a call in a batch (0: not called), the clock's step, and a call
  // until its partner knows of it (0: nobody asks).
  std::vector<double> numbers(4 * cells, 0);
  const std::span known_s(numbers.data() + 3 * cells, cells);
  const std::span call_s(numbers.data(), cells);
  std::fill(call_s.begin(), call_s.end(), 1e-12);
  for (std::uint32_t id = 0; id < cells_.size(); ++id) {
    const PlannedCell& cell = cells_[id];
    if (!cell.used || cell.failed) continue;
    page.note({group::Activity::kPreparing, id + 1});  // it goes on
    // Without its requests a call would end the job.
    if (cell.operation->arrays != ops::Arrays::kNone) {
      settle_outcome(id, make_arrays_again(id), "", recorder);
      if (cell.failed) continue;
    }
    if (!cell.team->member()) continue;
    decide_passes(id);
    call_s[id] = time_call(id);
    known_s[id] = time_until_known(id);
  }
  page.note({group::Activity::kPreparing});
  for (const auto& [id, batch] : batch_calls_) {
    numbers[cells + id] = batch.call_ns;
    numbers[2 * cells + id] = batch.step_ns;
  }
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_MAX,
                launch_.control);
  for (std::uint32_t id = 0; id < cells; ++id) {
    if (numbers[cells + id] == 0 || batch_calls_.contains(id)) continue;
    batch_calls_[id] = {.call_ns = numbers[cells + id], .step_ns = numbers[2 * cells + id]};
  }
  const record::LaunchSpec& spec = launch_.spec;
  const double enough_s = static_cast<double>(spec.warmup_ns) * 1e-9;
  for (std::size_t id = 0; id < cells_.size(); ++id) {
    PlannedCell& cell = cells_[id];
    const std::size_t by = spec.late_by_cells.empty() ? id : spec.late_by_cells.at(id);
    const bool is_timed = by < cells && cells_[by].used && !cells_[by].failed;
    // Ranks that are late by another's call are late by their own where that one has none. Of a
    // computation there may be no call at all ("only:0.5x"): it would compute nothing under the
    // name of half a call.
    const bool computes = record::computes_multiple(launch_.plan.cells[id]);
    if (computes && !is_timed && cell.used && !cell.failed) {
      fail_without_call(static_cast<std::uint32_t>(id), recorder);
    }
    const std::size_t of = is_timed ? by : id;
    cell.late_by_call_s = call_s[of];
    // Calls were timed without it, because only now is known how long a multiple of one is.
    cell.compute_s = record::compute_seconds(launch_.plan.cells[id], cell.late_by_call_s);
    // Both sides of a family meet one delay; a cell that nobody is late in was not asked.
    const double until_known_s = known_s[of] > 0 ? known_s[of] : known_s[id];
    if (until_known_s > 0) cell.late_by_call_s = until_known_s;
    // Its own call's multiple, without delays: env.json has how long that is (batch_calls).
    cell.delay_s = record::train_delay_s(launch_.plan.cells[id], call_s[id]);
    cell.call_s =
        call_s[id] + cell.compute_s + record::train_delays_s(launch_.plan.cells[id], call_s[id]);
    if (const auto batch = batch_calls_.find(static_cast<std::uint32_t>(id));
        batch != batch_calls_.end()) {
      batch->second.call_ns += cell.compute_s * 1e9;
      batch->second.known_ns = until_known_s * 1e9;
    }
    cell.warm_up = static_cast<std::uint32_t>(
        std::clamp(std::ceil(enough_s / cell.call_s), static_cast<double>(spec.warmup_min),
                   static_cast<double>(spec.warmup_repetitions)));
    // One batch before the one that counts.
    const record::Scheme* scheme = record::find_scheme(launch_.plan.cells[id].scheme);
    if (scheme != nullptr && scheme->batch) cell.warm_up = 1;
  }
}

std::vector<CellBuffers> Cells::buffers() const {
  constexpr std::size_t kKinds = 3;
  std::vector<std::uint64_t> bytes(kKinds * cells_.size(), 0);
  for (const auto& [id, need] : buffers_) {
    bytes[kKinds * id] = need.send_bytes;
    bytes[kKinds * id + 1] = need.recv_bytes;
    bytes[kKinds * id + 2] = need.scratch_bytes;
  }
  std::vector<std::uint64_t> all(bytes.size() * (rank_ == 0 ? launch_.spec.ranks : 0));
  const auto count = static_cast<int>(bytes.size());
  MPI_Gather(bytes.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, 0,
             launch_.control);
  std::vector<CellBuffers> found;
  for (std::uint32_t id = 0; rank_ == 0 && id < cells_.size(); ++id) {
    if (!cells_[id].used) continue;
    CellBuffers cell{.cell = id};
    for (const std::uint32_t rank : cells_[id].team->called()) {
      const std::uint64_t* const of_rank = &all[rank * bytes.size() + kKinds * id];
      cell.rank_bytes.push_back(of_rank[0] + of_rank[1] + of_rank[2]);
      cell.scratch_bytes += of_rank[2];
    }
    found.push_back(std::move(cell));
  }
  return found;
}

void Cells::measure_delays() {
  const auto some_cell = [&](auto asks) {
    return std::ranges::any_of(launch_.plan.cells, [&](const record::Cell& cell) {
      return cells_[cell.id].used && asks(cell);
    });
  };
  const bool planted = some_cell([](const record::Cell& cell) { return cell.delay_ns > 0; });
  const bool computed = some_cell([this](const record::Cell& cell) {
    return cells_[cell.id].compute_s > 0 && !streams_memory(cell);
  });
  const bool delayed =
      some_cell([this](const record::Cell& cell) { return cells_[cell.id].delay_s > 0; });
  if ((planted || computed || delayed || compute_memory_) && !Machine::computing_takes_time()) {
    throw base::UserError(
        "launch", "a cell is delayed or computes, and in a simulator computing takes no time",
        "leave delay, compute and train-delay out");
  }
  if (planted || computed || delayed) {
    const DelayRate rate = measure_delay_rate();
    if (planted) delay_ = rate;
    if (computed || delayed) compute_.chain = rate;
  }
  if (compute_memory_) compute_.memory = measure_memory_rate(compute_memory_->region());
  for (PlannedCell& cell : cells_) {
    cell.delay_steps = compute_.steps(cell.delay_s, false);
    const ops::Overlap* const overlap = cell.setup ? cell.setup->call().overlap : nullptr;
    if (overlap == nullptr || !overlap->here) continue;
    cell.compute_steps = compute_.steps(cell.compute_s, overlap->region != nullptr);
  }
}

record::Others Cells::others(std::uint32_t row_index) const {
  const record::Cell& levels = launch_.plan.cells[launch_.plan.rows[row_index].cell];
  const PlannedCell& cell = cells_[levels.id];
  if (cell.failed) return record::Others::kAsleep;
  return record::p2p_levels(levels, cell.operation->messages).others;
}

bool Cells::checks(std::uint32_t row_index) const {
  const PlannedCell& cell = cells_[launch_.plan.rows[row_index].cell];
  return checked_[row_index] && !cell.failed && !cell.operation->verify_calls;
}

ops::Outcome Cells::check_left(const record::Cell& levels) {
  PlannedCell& cell = cells_[levels.id];
  const ops::Circle circle{.comm = launch_.control, .ranks = cell.team->called()};
  ops::Call& call = cell.setup->call();
  // Buffers that move on have left the last repetition's behind.
  const bool stay = levels.cache != "cold-cycle";
  if (!stay || !ops::leaves_one_result(*cell.operation, call)) {
    return ops::check_once(*cell.operation, call, circle);
  }
  ops::Outcome outcome = ops::check_result(*cell.operation, call, circle);
  // An own operation may change what it reads, and not say so.
  if (!outcome.passed() && ops::check_once(*cell.operation, call, circle).passed()) {
    outcome.what += "; the result of a single call is right";
  }
  return outcome;
}

void Cells::check_visit(std::uint32_t row_index, Segment& segment, const group::Page& page,
                        Recorder& recorder) {
  const record::PlanRow& row = launch_.plan.rows[row_index];
  const PlannedCell& cell = cells_[row.cell];
  VisitNote& note = segment.visits.back();
  ops::Outcome outcome;
  if (cell.team->comm() != MPI_COMM_NULL) {
    page.note({group::Activity::kPreparing, row.cell + 1});
    // An error of the library is told when the visit is written down, and its result means nothing.
    const ops::Circle circle{.comm = launch_.control, .ranks = cell.team->called()};
    note.checked = ops::agree(circle, note.error != MPI_SUCCESS ? "an error" : "").passed();
    if (note.checked) outcome = check_left(launch_.plan.cells[row.cell]);
    // Who waits for others that still check is none of those that hang.
    page.note({group::Activity::kLeaving, row_index});
  }
  settle_outcome(row.cell, outcome, "after visit " + std::to_string(row.visit) + ": ", recorder);
}

// A rank without its request would end the job by calling, and the others would wait for it.
bool Cells::all_have_requests(const PlannedCell& cell, int error) const {
  if (cell.operation->prepare == nullptr) return true;
  const ops::Circle circle{.comm = launch_.control, .ranks = cell.team->ranks()};
  return ops::agree(circle, error == MPI_SUCCESS ? "" : "no request").passed();
}

void Cells::visit(std::uint32_t row_index, Segment& segment) {
  const record::PlanRow& row = launch_.plan.rows[row_index];
  PlannedCell& cell = cells_[row.cell];
  if (cell.failed) return;
  const bool first_of_round = last_round_ != row.round;
  last_round_ = row.round;
  ++cell.visits;
  const auto marks =
      static_cast<std::uint32_t>(ops::marks_in(launch_.plan.cells[row.cell], *cell.operation));
  const auto placed = [&] {
    return place({launch_.spec.seed, kPlacementStream, launch_.spec.launch, row.visit,
                  static_cast<std::uint64_t>(rank_)},
                 launch_.plan.cells[row.cell], *cell.setup);
  };
  // Buffers that move on are never seen by a call where they are filled.
  const bool filled = share_ > 0 && launch_.plan.cells[row.cell].cache != "cold-cycle";
  const auto pattern_of = filled ? std::optional(cell.visits) : std::nullopt;
  // Those that stand by are looked at, too; nobody measures while they fill their buffers.
  if (checks(row_index) && record::has_roles(cell.operation->roles, cell.operation->messages)) {
    if (cell.team->part() == Part::kStandsBy) in_use(row.cell).place(placed(), pattern_of);
    MPI_Barrier(launch_.control);
  }
  if (!cell.team->member()) {
    VisitNote note{
        .row = row_index, .clock = number_of(cell.clock), .member = false, .marks = marks};
    if (rank_ == 0) note.steal_ticks = steal_.since_last();
    segment.visits.push_back(note);
    return;
  }
  const ops::Placement placement = placed();
  const int error = in_use(row.cell).place(placement, pattern_of);
  std::optional<ops::Operation> stand_in;
  if (!all_have_requests(cell, error)) stand_in = not_called(*cell.operation);
  const bool is_memory = cell.operation->walks > 0;
  VisitNote looked;
  if (is_memory) {
    memory_.look(launch_.plan.cells[row.cell], *cell.setup->call().memory, placement, looked);
  }
  const bool all_sleep = others(row_index) == record::Others::kAsleep;
  cell.visitor->visit({.row = row,
                       .cell = launch_.plan.cells[row.cell],
                       .team = *cell.team,
                       .operation = stand_in ? *stand_in : *cell.operation,
                       .setup = *cell.setup,
                       .placement = placement,
                       .warm_up = cell.warm_up,
                       .capacity = group::visit_capacity(row, launch_.limits),
                       .measured_capacity = group::measured_capacity(row, launch_.limits),
                       .call_s = cell.call_s,
                       .late_by_call_s = cell.late_by_call_s,
                       .compute_steps = cell.compute_steps,
                       .delay_steps = cell.delay_steps,
                       .others = all_sleep ? MPI_COMM_NULL : cell.team->others_comm(),
                       .first_of_round = first_of_round,
                       .reference = is_memory ? memory_.reference() : nullptr},
                      segment);
  VisitNote& note = segment.visits.back();
  note.row = row_index;
  // What a stand-in returned is nobody's error: that is the one of who has no request.
  if (stand_in || error != MPI_SUCCESS) note.error = error;
  note.loops = looked.loops;
  note.huge_ppm = looked.huge_ppm;
  note.frames_again_ppm = looked.frames_again_ppm;
  const auto offset_of = [&](const std::byte* buffer) {
    return memory_.offset_of(launch_.plan.cells[row.cell], buffer);
  };
  note.send_offset_bytes = offset_of(placement.send);
  note.recv_offset_bytes = offset_of(placement.recv);
  note.marks = marks;
  if (placement.scratch != nullptr) {
    note.scratch_offset_bytes = offset_of(placement.scratch);
  }
}

}  // namespace invar::engine
