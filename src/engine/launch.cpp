#include "engine/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "clock/calibration.hpp"
#include "engine/environment.hpp"
#include "engine/host.hpp"
#include "engine/launch_facts.hpp"
#include "engine/page.hpp"
#include "engine/recorder.hpp"
#include "engine/steps.hpp"
#include "engine/turns.hpp"
#include "engine/visit.hpp"
#include "ops/agree.hpp"
#include "ops/catalogue.hpp"
#include "ops/memory.hpp"
#include "ops/setup.hpp"
#include "ops/verify.hpp"
#include "record/plan.hpp"

namespace invar::engine {
namespace {

constexpr std::uint64_t kPlacementStream = 0x706c616365;  // "place"

struct PlannedCell {
  const ops::Operation* operation = nullptr;
  std::optional<ops::CallSetup> setup = {};
  std::uint32_t warm_up = 0;
  bool failed = false;
  bool used = false;  // this arm visits it in this launch
};

class Launch {
 public:
  Launch(MPI_Comm world, std::string dir, const record::LaunchSpec& spec);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  void run();
  // Nobody of the group waits for this launch any longer.
  void give_up() const {
    if (page_) page_->abort();
  }

 private:
  [[nodiscard]] bool is_writer() const { return rank_ == 0; }
  [[nodiscard]] const std::string& label() const { return spec_.arms[spec_.arm]; }
  void check_job() const;
  void choose_clock();
  void read_plan();
  void make_cells();
  void join_group();
  void check_maps() const;
  void prepare();
  void compare_clocks();
  void prepare_cell(std::uint32_t id);
  void agree_on_warm_up();
  void visit(const record::PlanRow& row, std::uint32_t row_index);
  void finish();

  MPI_Comm world_;
  std::string dir_;
  const record::LaunchSpec& spec_;
  int rank_ = 0;
  int ranks_ = 1;
  MPI_Comm control_ = MPI_COMM_NULL;    // gathering and agreeing, outside blocks
  MPI_Comm sync_comm_ = MPI_COMM_NULL;  // barriers
  MPI_Comm comm_ = MPI_COMM_NULL;       // the operations; returns errors
  Hosts hosts_ = {};
  std::vector<std::string> rank_hosts_ = {};
  std::vector<std::string> rank_cpus_ = {};
  clock::Source source_ = clock::Source::kMonotonicRaw;
  std::string clock_reason_ = {};
  clock::Quality quality_ = {};
  clock::Bracket first_bracket_ = {};
  double rough_ticks_per_s_ = 1e9;
  std::int64_t clock_uncertainty_ticks_ = 0;
  bool clocks_agree_ = true;
  record::Plan plan_ = {};
  Steps steps_ = {};
  StepLimits limits_ = {};
  std::vector<PlannedCell> cells_ = {};
  std::unique_ptr<ops::Arena> arena_ = {};
  std::unique_ptr<Segment> segment_ = {};
  std::optional<Page> page_ = {};
  std::optional<Turns> turns_ = {};
  std::unique_ptr<Visitor> visitor_ = {};
  std::optional<Recorder> recorder_ = {};
  std::optional<std::uint32_t> last_round_ = {};
  std::vector<std::string> environments_ = {};  // one JSON object per host, on rank 0
  std::map<std::string, std::uint64_t> counters_begin_ = {};
};

Launch::Launch(MPI_Comm world, std::string dir, const record::LaunchSpec& spec)
    : world_(world), dir_(std::move(dir)), spec_(spec) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &ranks_);
  MPI_Comm_dup(world, &control_);
  MPI_Comm_dup(world, &sync_comm_);
  MPI_Comm_dup(world, &comm_);
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

Launch::~Launch() {
  // Collective: while an error unwinds, the other ranks do not take part.
  if (std::uncaught_exceptions() > 0) return;
  for (MPI_Comm* comm : {&control_, &sync_comm_, &comm_}) MPI_Comm_free(comm);
}

void Launch::check_job() const {
  if (ranks_ != static_cast<int>(spec_.ranks)) {
    throw base::UserError(
        "launch",
        "MPI says that there are " + std::to_string(ranks_) + " ranks where " +
            std::to_string(spec_.ranks) + " were started",
        "the launcher and the library that the engine was built for do not belong "
        "together: look at 'invar mpi show'");
  }
  if (hosts_.count > 1 && spec_.sync == "round-time") {
    throw base::UserError("launch",
                          "round-time on " + std::to_string(hosts_.count) +
                              " hosts needs clocks that are synchronised between them",
                          "use sync = \"barrier\" or \"dissemination\"");
  }
  const std::int32_t cpu = bound_cpu();
  if (spec_.pinning == "core" &&
      cpu != static_cast<std::int32_t>(spec_.cpus.at(hosts_.local_rank % spec_.cpus.size()))) {
    throw base::UserError("launch",
                          "rank " + std::to_string(rank_) + " on " + host_name() +
                              " should run on CPU " +
                              std::to_string(spec_.cpus[hosts_.local_rank]) + " but is bound to " +
                              (cpu < 0 ? "several" : std::to_string(cpu)),
                          "something moved it after the engine had bound it; pinning = \"none\" "
                          "measures without, and gives no verdicts");
  }
}

// One clock for synchronising and measuring, the same on all ranks.
void Launch::choose_clock() {
  const clock::TscTrust trust = clock::tsc_trust();
  int trusted = trust.trusted ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &trusted, 1, MPI_INT, MPI_MIN, control_);
  clock_reason_ = trust.reason;
  if (spec_.clock == "mpi-wtime") {
    source_ = clock::Source::kMpiWtime;
  } else if (spec_.clock == "monotonic-raw") {
    source_ = clock::Source::kMonotonicRaw;
  } else if (trusted != 0) {
    source_ = clock::Source::kTsc;
  } else if (spec_.clock == "tsc") {
    throw base::UserError(
        "launch",
        "clock = \"tsc\", but " +
            (trust.reason.empty() ? "another rank cannot trust its own" : trust.reason),
        "use clock = \"auto\" or \"monotonic-raw\"");
  }
}

void Launch::read_plan() {
  std::string text;
  if (rank_ == 0) {
    const std::string path = dir_ + "/visits.csv";
    const auto content = base::read_file(path);
    if (!content) throw base::UserError(path, "cannot be read");
    text = *content;
  }
  std::uint64_t size = text.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, control_);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, control_);
  plan_ = record::read_plan(text, dir_ + "/visits.csv", record::PlanExtent::kPart);
  limits_.warmup_repetitions = spec_.warmup_repetitions;
  limits_.retry_cap = spec_.retry_cap;
  steps_ = make_steps(plan_.rows, spec_.arms, limits_);
}

void Launch::make_cells() {
  cells_.resize(plan_.cells.size());
  for (const record::PlanRow& row : plan_.rows) {
    if (row.arm == label()) cells_[row.cell].used = true;
  }
  base::Faults faults;
  std::vector<ops::BufferNeed> needs;
  for (const record::Cell& cell : plan_.cells) {
    PlannedCell& planned = cells_[cell.id];
    if (!planned.used) continue;
    planned.operation = ops::find_operation(cell.operation);
    if (planned.operation == nullptr) {
      faults.add("visits.csv", "this engine has no operation '" + cell.operation + "'");
      continue;
    }
    if (cell.ranks != static_cast<std::uint32_t>(ranks_)) {
      faults.add("visits.csv", record::cell_text(cell) + ": this launch has " +
                                   std::to_string(ranks_) + " ranks");
      continue;
    }
    planned.setup.emplace(cell, *planned.operation, comm_);
    for (const std::string& error : planned.setup->errors()) {
      faults.add("visits.csv", record::cell_text(cell) + ": " + error);
    }
    if (planned.setup->errors().empty()) needs.push_back(planned.setup->need());
  }
  faults.throw_if_any();
  for (const std::uint32_t failed : spec_.failed_cells) {
    if (failed < cells_.size()) cells_[failed].failed = true;
  }
  arena_ = std::make_unique<ops::Arena>(needs);
  segment_ = std::make_unique<Segment>(steps_.segment_capacity);
}

// The same rank-to-core map for all arms of a group: else they would not be compared on the same
// hardware.
void Launch::check_maps() const {
  const Page::Shape shape = page_->shape();
  const auto map_of = [&](std::uint32_t arm) {
    std::string map;
    for (std::uint32_t i = 0; i < shape.local_ranks; ++i) {
      const RankSlot& slot = page_->slot(arm, i);
      map += (i == 0 ? "rank " : ", rank ") + std::to_string(slot.rank.load()) + " on CPU " +
             std::to_string(slot.cpu.load());
    }
    return map;
  };
  if (map_of(0) != map_of(spec_.arm)) {
    throw base::UserError("launch", "the arms' ranks are mapped differently: '" + spec_.arms[0] +
                                        "' has " + map_of(0) + "; '" + label() + "' has " +
                                        map_of(spec_.arm));
  }
}

void Launch::join_group() {
  page_.emplace(Page::attach(
      spec_.group_id + "-" + base::crc_text(base::crc32c(host_identity())),
      {.arms = static_cast<std::uint32_t>(spec_.arms.size()), .local_ranks = hosts_.local_ranks},
      {.arm = spec_.arm, .local_rank = hosts_.local_rank}));
  RankSlot& slot = page_->slot(spec_.arm, hosts_.local_rank);
  slot.cpu.store(spec_.pinning == "core" ? bound_cpu() : -1);
  slot.rank.store(rank_);
  std::int64_t no_origin = 0;
  page_->header().origin_ticks.compare_exchange_strong(no_origin, first_bracket_.ticks);
  turns_.emplace(*page_, steps_.steps, static_cast<std::int64_t>(spec_.visit_limit_ns), [this] {
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, control_, &flag, MPI_STATUS_IGNORE);
  });
  const bool alone_on_core = spec_.pinning == "core" && !spec_.oversubscribe;
  visitor_ = make_visitor({.page = *page_,
                           .turns = *turns_,
                           .spec = spec_,
                           .sync_comm = sync_comm_,
                           .ticks_per_s = rough_ticks_per_s_,
                           .rank = static_cast<std::uint32_t>(rank_),
                           .canary = alone_on_core && hosts_.local_ranks >= 2},
                          source_);
}

// Do the CPUs of this host read the same time? Rank 0 of the host exchanges time stamps with every
// other one: offset 0 must lie within the bounds.
void Launch::compare_clocks() {
  if (source_ == clock::Source::kMpiWtime || hosts_.count > 1) {
    clocks_agree_ = false;
    return;
  }
  if (spec_.pinning != "core" || spec_.oversubscribe) {
    // Ranks that move between CPUs cannot be compared once for all.
    clocks_agree_ = false;
    return;
  }
  std::int64_t worst = 0;
  int agree = 1;
  for (std::uint32_t other = 1; other < hosts_.local_ranks; ++other) {
    const OffsetBounds bounds = visitor_->offset(other);
    MPI_Barrier(control_);
    if (rank_ != 0) continue;
    // Half a step on each side: both clocks are read in steps.
    const auto step = static_cast<std::int64_t>(std::ceil(quality_.step_ticks));
    if (bounds.low_ticks > step || bounds.high_ticks < -step) agree = 0;
    worst = std::max({worst, std::abs(bounds.low_ticks), std::abs(bounds.high_ticks)});
  }
  MPI_Bcast(&worst, 1, MPI_INT64_T, 0, control_);
  MPI_Bcast(&agree, 1, MPI_INT, 0, control_);
  clock_uncertainty_ticks_ = worst;
  clocks_agree_ = agree != 0;
  if (!clocks_agree_ && spec_.sync == "round-time") {
    throw base::UserError("launch", "the clocks of this host's CPUs differ by more than their step",
                          "use sync = \"barrier\"");
  }
}

void Launch::prepare_cell(std::uint32_t id) {
  PlannedCell& cell = cells_[id];
  base::Random random = base::Random::of(
      {spec_.seed, kPlacementStream, spec_.launch, 0, id, static_cast<std::uint64_t>(rank_)});
  cell.setup->place(arena_->place(random, cell.setup->need()));
  const ops::Outcome outcome = ops::check_once(*cell.operation, cell.setup->call());
  if (outcome.passed()) return;
  cell.failed = true;
  const auto rank = static_cast<std::uint32_t>(std::max(outcome.first_failed_rank, 0));
  recorder_->failure({.cell = id,
                      .kind = ops::is_mpi_error(outcome.what) ? "MPI error" : "wrong result",
                      .reason = outcome.text(),
                      .rank = rank,
                      .host = rank_ == 0 ? rank_hosts_.at(rank) : std::string()});
}

// Barriers leave no room to agree while repetitions run, so a cell's warm-up is fixed here.
void Launch::agree_on_warm_up() {
  std::vector<std::int64_t> call_ticks(cells_.size(), 1);
  for (std::size_t id = 0; id < cells_.size(); ++id) {
    if (!cells_[id].used || cells_[id].failed) continue;
    call_ticks[id] = std::max<std::int64_t>(
        1, visitor_->call_ticks(*cells_[id].operation, cells_[id].setup->call(), 3));
  }
  MPI_Allreduce(MPI_IN_PLACE, call_ticks.data(), static_cast<int>(call_ticks.size()), MPI_INT64_T,
                MPI_MAX, control_);
  const double enough = static_cast<double>(spec_.warmup_ns) * 1e-9 * rough_ticks_per_s_;
  for (std::size_t id = 0; id < cells_.size(); ++id) {
    const double wanted = std::ceil(enough / static_cast<double>(call_ticks[id]));
    cells_[id].warm_up =
        static_cast<std::uint32_t>(std::clamp(wanted, double{static_cast<double>(spec_.warmup_min)},
                                              static_cast<double>(spec_.warmup_repetitions)));
  }
}

void Launch::prepare() {
  compare_clocks();
  const bool per_rank =
      spec_.record == "per-rank" || (spec_.record == "auto" && spec_.ranks <= record::kPerRankUpTo);
  recorder_.emplace(control_, hosts_, rank_hosts_, dir_, per_rank,
                    TimeBase{.first = first_bracket_,
                             .origin_ticks = source_ == clock::Source::kMpiWtime
                                                 ? first_bracket_.ticks
                                                 : page_->header().origin_ticks.load(),
                             .global_valid = clocks_agree_,
                             .uncertainty_ticks = clock_uncertainty_ticks_},
                    static_cast<std::uint16_t>(spec_.oversubscribe ? record::kOversubscribed : 0));
  for (std::uint32_t id = 0; id < cells_.size(); ++id) {
    if (cells_[id].used && !cells_[id].failed) prepare_cell(id);
  }
  agree_on_warm_up();
}

void Launch::visit(const record::PlanRow& row, std::uint32_t row_index) {
  PlannedCell& cell = cells_[row.cell];
  if (cell.failed) return;
  base::Random random = base::Random::of(
      {spec_.seed, kPlacementStream, spec_.launch, row.visit, static_cast<std::uint64_t>(rank_)});
  const ops::Placement placement = arena_->place(random, cell.setup->need());
  cell.setup->place(placement);
  const bool first_of_round = last_round_ != row.round;
  last_round_ = row.round;
  visitor_->visit(row, *cell.operation, cell.setup->call(), cell.warm_up,
                  visit_capacity(row, limits_), first_of_round, *segment_);
  VisitNote& note = segment_->visits.back();
  note.row = row_index;
  note.send_offset_bytes = static_cast<std::uint64_t>(placement.send - arena_->bytes().data());
  note.recv_offset_bytes = static_cast<std::uint64_t>(placement.recv - arena_->bytes().data());
}

void Launch::finish() {
  std::uint32_t env_crc = 0;
  const std::vector<std::string> network = gather_texts(
      control_,
      hosts_.leader ? network_deltas_json(counters_begin_, network_counters()) : std::string());
  if (is_writer()) {
    const std::string env = launch_facts_json({.spec = spec_,
                                               .hosts = hosts_.count,
                                               .source = source_,
                                               .tsc_refused_because = clock_reason_,
                                               .quality = quality_,
                                               .ticks_per_s = rough_ticks_per_s_,
                                               .ranks_agree = clocks_agree_,
                                               .uncertainty_ticks = clock_uncertainty_ticks_,
                                               .rank_hosts = rank_hosts_,
                                               .rank_cpus = rank_cpus_,
                                               .environments = environments_,
                                               .network = network});
    RecordFile file(dir_ + "/env.json");
    file.append(env.data(), env.size());
    file.sync();
    env_crc = file.crc();
  }
  if (!recorder_) throw std::logic_error("a launch without a prepare step");
  recorder_->finish(visitor_->bracket(), env_crc);
  turns_->finish();
}

void Launch::run() {
  hosts_ = find_hosts(control_);
  rank_hosts_ = gather_texts(control_, host_name());
  rank_cpus_ = gather_texts(control_, std::to_string(bound_cpu()));
  check_job();
  choose_clock();
  if (source_ == clock::Source::kMpiWtime) rough_ticks_per_s_ = 1e12;
  read_plan();
  make_cells();
  const auto bracket = [this] {
    return source_ == clock::Source::kTsc ? clock::bracketed_read(clock::TscClock{})
           : source_ == clock::Source::kMonotonicRaw
               ? clock::bracketed_read(clock::MonotonicRawClock{})
               : clock::Bracket{};
  };
  first_bracket_ = bracket();
  environments_ = gather_texts(
      control_, hosts_.leader ? environment_json(spec_.full_environment) : std::string());
  if (hosts_.leader) counters_begin_ = network_counters();
  if (source_ == clock::Source::kTsc) {
    // Good to 1e-4 after a few milliseconds; only limits and slack depend on it.
    const timespec pause{0, 5'000'000};
    nanosleep(&pause, nullptr);
    rough_ticks_per_s_ = rate_between(first_bracket_, bracket()).ticks_per_s;
  }
  join_group();
  quality_ = visitor_->quality();
  if (source_ == clock::Source::kMpiWtime) first_bracket_ = visitor_->bracket();
  turns_->start();
  bool maps_checked = false;
  while (const Step* step = turns_->next()) {
    if (!std::exchange(maps_checked, true)) check_maps();
    switch (step->kind) {
      case StepKind::kPrepare:
        prepare();
        break;
      case StepKind::kVisit:
        visit(plan_.rows[step->row], step->row);
        break;
      case StepKind::kFlush:
        recorder_->flush(*segment_, plan_, visitor_->bracket());
        break;
    }
    MPI_Barrier(sync_comm_);
    turns_->done();
  }
  finish();
}

}  // namespace

void run_launch(MPI_Comm world, const std::string& dir, const record::LaunchSpec& spec) {
  Launch launch(world, dir, spec);
  try {
    launch.run();
  } catch (...) {
    launch.give_up();
    throw;
  }
}

}  // namespace invar::engine
