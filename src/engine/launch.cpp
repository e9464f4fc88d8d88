#include "engine/launch.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
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
#include "clock/ticks.hpp"
#include "engine/clocks.hpp"
#include "engine/environment.hpp"
#include "engine/host.hpp"
#include "engine/launch_facts.hpp"
#include "engine/leftovers.hpp"
#include "engine/page.hpp"
#include "engine/recorder.hpp"
#include "engine/steps.hpp"
#include "engine/team.hpp"
#include "engine/turns.hpp"
#include "engine/visit.hpp"
#include "ops/agree.hpp"
#include "ops/catalogue.hpp"
#include "ops/cold.hpp"
#include "ops/memory.hpp"
#include "ops/setup.hpp"
#include "ops/verify.hpp"
#include "record/plan.hpp"

namespace invar::engine {
namespace {

constexpr std::uint64_t kPlacementStream = 0x706c616365;  // "place"

// Of ranks that wait for a visit without them: soon there after a short one, out of the way of a
// long one.
constexpr std::int64_t kShortestNapNs = 50'000;
constexpr std::int64_t kLongestNapNs = 1'000'000;

// INVAR_SYSFS_ROOT stands for /sys: tests plant a clock source that changes (docs/measuring.md).
std::string clock_source_now() {
  const char* sys = std::getenv("INVAR_SYSFS_ROOT");
  return clock::kernel_clock_source(sys == nullptr || *sys == '\0' ? "/sys" : sys);
}

struct PlannedCell {
  const ops::Operation* operation = nullptr;
  const Team* team = nullptr;
  Visitor* visitor = nullptr;
  clock::Source clock = clock::Source::kMonotonicRaw;
  std::optional<ops::CallSetup> setup = {};  // of the team's members
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
  void check_environment() const;
  void check_places() const;
  void read_plan();
  void make_cells();
  void make_setup(const record::Cell& cell, PlannedCell& planned, base::Faults& faults);
  void join_group();
  void make_visitors();
  void check_maps() const;
  void check_clock_source() const;
  void prepare();
  void prepare_cell(std::uint32_t id);
  void agree_on_warm_up();
  void visit(const record::PlanRow& row, std::uint32_t row_index);
  void leave(const Team& team) const;
  void finish();
  ops::Placement place(std::initializer_list<std::uint64_t> draw, const record::Cell& cell,
                       ops::CallSetup& setup) const;

  MPI_Comm world_;
  std::string dir_;
  const record::LaunchSpec& spec_;
  int rank_ = 0;
  int ranks_ = 1;
  MPI_Comm control_ = MPI_COMM_NULL;    // gathering and agreeing, outside blocks
  MPI_Comm sync_comm_ = MPI_COMM_NULL;  // barriers
  Hosts hosts_ = {};
  std::vector<std::string> rank_hosts_ = {};
  std::vector<std::string> rank_cpus_ = {};
  std::optional<Clocks> clocks_ = {};
  record::Plan plan_ = {};
  Steps steps_ = {};
  StepLimits limits_ = {};
  std::optional<Teams> teams_ = {};
  std::vector<PlannedCell> cells_ = {};
  std::unique_ptr<ops::Arena> arena_ = {};
  std::unique_ptr<Segment> segment_ = {};
  std::optional<Page> page_ = {};
  std::optional<Turns> turns_ = {};
  std::optional<ops::ColdCache> cold_ = {};
  StealCounter steal_ = {};
  std::map<std::pair<clock::Source, std::string>, std::unique_ptr<Visitor>> visitors_ = {};
  std::optional<Recorder> recorder_ = {};
  std::optional<std::uint32_t> last_round_ = {};
  const std::int64_t begin_ns_ = clock::monotonic_raw_ns();
  OwnCosts own_ = {};
  std::map<std::uint32_t, BatchCall> batch_calls_ = {};
  std::vector<std::string> environments_ = {};  // one JSON object per host, on rank 0
  std::map<std::string, std::uint64_t> counters_begin_ = {};
  std::string clock_source_ = clock_source_now();
};

Launch::Launch(MPI_Comm world, std::string dir, const record::LaunchSpec& spec)
    : world_(world), dir_(std::move(dir)), spec_(spec) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &ranks_);
  MPI_Comm_dup(world, &control_);
  MPI_Comm_dup(world, &sync_comm_);
}

Launch::~Launch() {
  // Collective: while an error unwinds, the other ranks do not take part.
  if (std::uncaught_exceptions() > 0) return;
  cells_.clear();
  if (teams_) teams_->free();
  for (MPI_Comm* comm : {&control_, &sync_comm_}) MPI_Comm_free(comm);
}

// Every rank must see what makes its arm: a launcher may keep variables from other hosts. Paths may
// have got more entries on their way.
void Launch::check_environment() const {
  base::Faults faults;
  for (const std::string& setting : spec_.environment) {
    const std::string name = setting.substr(0, setting.find('='));
    const std::string wanted = setting.substr(std::min(name.size() + 1, setting.size()));
    const char* found = std::getenv(name.c_str());
    const bool is_path = name.ends_with("PATH");
    if (found != nullptr && (wanted == found || (is_path && std::string_view(found).find(wanted) !=
                                                                std::string_view::npos))) {
      continue;
    }
    faults.add("launch",
               "the setting " + setting + " did not reach rank " + std::to_string(rank_) + " on " +
                   host_name() +
                   (found == nullptr ? ": it is not set there" : std::string(": it is ") + found),
               "the launcher must hand it on: put {env} before {program} in the launch template");
  }
  faults.throw_if_any();
}

// Every host has the same number of ranks: cells take parts of them.
void Launch::check_places() const {
  if (rank_ != 0) return;  // it knows the names of all hosts
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const std::uint32_t host : hosts_.of_rank) ++counts[host];
  const std::uint32_t each = spec_.ranks / spec_.hosts;
  const bool even = std::all_of(counts.begin(), counts.end(),
                                [&](const auto& host) { return host.second == each; });
  if (counts.size() == spec_.hosts && even) return;
  std::string places;
  for (const auto& [host, count] : counts) {
    const auto first = static_cast<std::size_t>(
        std::find(hosts_.of_rank.begin(), hosts_.of_rank.end(), host) - hosts_.of_rank.begin());
    places += (places.empty() ? "" : ", ") + std::to_string(count) + " on " + rank_hosts_[first];
  }
  throw base::UserError(
      "launch",
      "the launcher put the ranks elsewhere: " + places + "; wanted are " + std::to_string(each) +
          " on each of " + std::to_string(spec_.hosts) + (spec_.hosts == 1 ? " host" : " hosts"),
      "a launch template says where by {hosts} or {hostfile}, and how many by {ppn}");
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
  check_environment();
  check_places();
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

void Launch::make_setup(const record::Cell& cell, PlannedCell& planned, base::Faults& faults) {
  if (cell.nodes > 1 && cell.sync == "round-time") {
    faults.add("visits.csv",
               record::cell_text(cell) + ": round-time on " + std::to_string(cell.nodes) +
                   " hosts needs clocks that are synchronised between them",
               "use sync = \"barrier\" or \"dissemination\"");
    return;
  }
  planned.team = &teams_->of(cell);
  planned.clock = clocks_->use(cell.clock);
  if (!planned.team->member()) return;
  planned.setup.emplace(cell, *planned.operation, planned.team->comm());
  for (const std::string& error : planned.setup->errors()) {
    faults.add("visits.csv", record::cell_text(cell) + ": " + error);
  }
}

void Launch::make_cells() {
  cells_.resize(plan_.cells.size());
  for (const record::PlanRow& row : plan_.rows) {
    if (row.arm == label()) cells_[row.cell].used = true;
  }
  teams_.emplace(control_, hosts_, spec_.seed + spec_.group);
  base::Faults faults;
  std::vector<ops::BufferNeed> needs;
  bool cycles = false;
  ops::BufferNeed largest;
  for (const record::Cell& cell : plan_.cells) {
    PlannedCell& planned = cells_[cell.id];
    if (!planned.used) continue;
    planned.operation = ops::find_operation(cell.operation);
    if (planned.operation == nullptr) {
      faults.add("visits.csv", "this engine has no operation '" + cell.operation + "'");
      continue;
    }
    make_setup(cell, planned, faults);
    if (!planned.setup || !planned.setup->errors().empty()) continue;
    const ops::BufferNeed need = planned.setup->need();
    needs.push_back(need);
    if (cell.cache != "cold-cycle") continue;
    cycles = true;
    largest.send_bytes = std::max(largest.send_bytes, need.send_bytes);
    largest.recv_bytes = std::max(largest.recv_bytes, need.recv_bytes);
  }
  faults.throw_if_any();
  for (const std::uint32_t failed : spec_.failed_cells) {
    if (failed < cells_.size()) cells_[failed].failed = true;
  }
  arena_ = std::make_unique<ops::Arena>(needs);
  cold_.emplace(cycles, largest);
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

// The kernel gives up a clock source that it no longer trusts; what was measured with it then is
// worth nothing.
void Launch::check_clock_source() const {
  const std::string now = clock_source_now();
  if (now == clock_source_) return;
  throw std::runtime_error(std::string(record::kMachine) +
                           "the kernel's clock source changed from '" + clock_source_ + "' to '" +
                           now + "' while this launch measured");
}

void Launch::join_group() {
  if (hosts_.leader) remove_leftovers();
  page_.emplace(Page::attach(
      Page::name_of(spec_.group_id, host_identity()),
      {.arms = static_cast<std::uint32_t>(spec_.arms.size()), .local_ranks = hosts_.local_ranks},
      {.arm = spec_.arm, .local_rank = hosts_.local_rank}));
  RankSlot& slot = page_->slot(spec_.arm, hosts_.local_rank);
  slot.cpu.store(spec_.pinning == "core" ? bound_cpu() : -1);
  slot.rank.store(rank_);
  clocks_->share_origin(page_->header());
  // The driver looks at the page too, and can say more: it comes first. Where it is on another
  // host, a sleeper must find who hangs.
  const auto later = [](std::uint64_t limit_ns) {
    return static_cast<std::int64_t>(limit_ns + limit_ns / 4 + 1'000'000'000);
  };
  turns_.emplace(
      *page_, steps_.steps,
      TurnLimits{.visit_ns = later(spec_.visit_limit_ns), .start_ns = later(spec_.start_limit_ns)},
      [this] {
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, control_, &flag, MPI_STATUS_IGNORE);
      },
      &plan_);
}

// One for every pair of clock and synchronisation that the cells ask for.
void Launch::make_visitors() {
  for (const record::Cell& cell : plan_.cells) {
    PlannedCell& planned = cells_[cell.id];
    if (!planned.used) continue;
    std::unique_ptr<Visitor>& visitor = visitors_[{planned.clock, cell.sync}];
    if (!visitor) {
      visitor = make_visitor({.page = *page_,
                              .turns = *turns_,
                              .spec = spec_,
                              .ticks_per_s = clocks_->state(planned.clock).ticks_per_s,
                              .rank = static_cast<std::uint32_t>(rank_),
                              .canary = spec_.pinning == "core" && !spec_.oversubscribe,
                              .cold = *cold_,
                              .clocks = *clocks_,
                              .steal = steal_},
                             planned.clock, cell.sync);
    }
    planned.visitor = visitor.get();
  }
}

// A fresh place for every draw, or always the same one.
ops::Placement Launch::place(std::initializer_list<std::uint64_t> draw, const record::Cell& cell,
                             ops::CallSetup& setup) const {
  base::Random random =
      cell.placement == "same"
          ? base::Random::of({kPlacementStream, static_cast<std::uint64_t>(rank_)})
          : base::Random::of(draw);
  return arena_->place(random, setup.need());
}

// Verified for the first root and the last one, where the root rotates.
void Launch::prepare_cell(std::uint32_t id) {
  PlannedCell& cell = cells_[id];
  ops::Outcome outcome;
  if (cell.team->member()) {
    const std::uint64_t rank = static_cast<std::uint64_t>(rank_);
    const int error = cell.setup->place(place(
        {spec_.seed, kPlacementStream, spec_.launch, 0, id, rank}, plan_.cells[id], *cell.setup));
    ops::Call& call = cell.setup->call();
    outcome = ops::agree(
        call.comm, error == MPI_SUCCESS ? "" : ops::mpi_error_text(cell.operation->name, error));
    if (outcome.passed()) outcome = ops::check_once(*cell.operation, call);
    if (outcome.passed() && call.rotates) {
      call.root = call.ranks - 1;
      outcome = ops::check_once(*cell.operation, call);
    }
  }
  // Rank 0 is a member of every team.
  int failed = outcome.passed() ? 0 : 1;
  MPI_Bcast(&failed, 1, MPI_INT, 0, control_);
  if (failed == 0) return;
  cell.failed = true;
  const auto rank =
      cell.team->ranks()[static_cast<std::size_t>(std::max(outcome.first_failed_rank, 0))];
  recorder_->failure({.cell = id,
                      .kind = ops::is_mpi_error(outcome.what) ? "MPI error" : "wrong result",
                      .reason = outcome.text(),
                      .rank = rank,
                      .host = rank_ == 0 ? rank_hosts_.at(rank) : std::string()});
}

// Barriers leave no room to agree while repetitions run, so a cell's warm-up is fixed here. What a
// call takes in a batch is measured for the driver, which decides on batches after the pilot group.
void Launch::agree_on_warm_up() {
  std::vector<double> call_s(cells_.size(), 1e-12);
  for (std::size_t id = 0; id < cells_.size(); ++id) {
    PlannedCell& cell = cells_[id];
    if (!cell.used || cell.failed) continue;
    page_->note({Activity::kPreparing, static_cast<std::uint32_t>(id) + 1});  // it goes on
    if (!cell.team->member()) continue;
    const auto ticks = static_cast<double>(
        cell.visitor->call_ticks(*cell.team, *cell.operation, cell.setup->call(), 3));
    const ClockState& clock = clocks_->state(cell.clock);
    call_s[id] = std::max(call_s[id], ticks / clock.ticks_per_s);
    const double tick_ns = 1e9 / clock.ticks_per_s;
    const auto enough =
        static_cast<std::int64_t>(std::ceil(clock.quality.step_ticks * record::kStepsOfABatch));
    batch_calls_[static_cast<std::uint32_t>(id)] = {
        .call_ns = tick_ns * cell.visitor->batch_call_ticks(*cell.team, *cell.operation,
                                                            cell.setup->call(), enough),
        .step_ns = tick_ns * clock.quality.step_ticks};
  }
  page_->note({Activity::kPreparing});
  MPI_Allreduce(MPI_IN_PLACE, call_s.data(), static_cast<int>(call_s.size()), MPI_DOUBLE, MPI_MAX,
                control_);
  const double enough_s = static_cast<double>(spec_.warmup_ns) * 1e-9;
  for (std::size_t id = 0; id < cells_.size(); ++id) {
    cells_[id].warm_up = static_cast<std::uint32_t>(
        std::clamp(std::ceil(enough_s / call_s[id]), static_cast<double>(spec_.warmup_min),
                   static_cast<double>(spec_.warmup_repetitions)));
  }
}

void Launch::prepare() {
  const bool fixed = spec_.pinning == "core" && !spec_.oversubscribe;
  clocks_->compare(
      *page_, control_, fixed,
      [](void* turns) { static_cast<const Turns*>(turns)->check_partners("the other's clock"); },
      &*turns_);
  const bool per_rank =
      spec_.record == "per-rank" || (spec_.record == "auto" && spec_.ranks <= record::kPerRankUpTo);
  recorder_.emplace(control_, hosts_, rank_hosts_, dir_, per_rank, *clocks_,
                    static_cast<std::uint16_t>(spec_.oversubscribe ? record::kOversubscribed : 0));
  for (std::uint32_t id = 0; id < cells_.size(); ++id) {
    const PlannedCell& cell = cells_[id];
    if (!cell.used || cell.failed) continue;
    if (plan_.cells[id].sync == "round-time" && !clocks_->state(cell.clock).ranks_agree && fixed) {
      throw base::UserError("launch", "the clocks of a host's CPUs differ by more than their step",
                            "use sync = \"barrier\"");
    }
    page_->note({Activity::kPreparing, id + 1});
    prepare_cell(id);
  }
  page_->note({Activity::kPreparing});
  agree_on_warm_up();
}

void Launch::visit(const record::PlanRow& row, std::uint32_t row_index) {
  PlannedCell& cell = cells_[row.cell];
  if (cell.failed) return;
  const bool first_of_round = last_round_ != row.round;
  last_round_ = row.round;
  if (!cell.team->member()) {
    segment_->visits.push_back({.row = row_index, .clock = number_of(cell.clock), .member = false});
    return;
  }
  const ops::Placement placement = place(
      {spec_.seed, kPlacementStream, spec_.launch, row.visit, static_cast<std::uint64_t>(rank_)},
      plan_.cells[row.cell], *cell.setup);
  const int error = cell.setup->place(placement);
  cell.visitor->visit({.row = row,
                       .cell = plan_.cells[row.cell],
                       .team = *cell.team,
                       .operation = *cell.operation,
                       .setup = *cell.setup,
                       .placement = placement,
                       .warm_up = cell.warm_up,
                       .capacity = visit_capacity(row, limits_),
                       .first_of_round = first_of_round},
                      *segment_);
  VisitNote& note = segment_->visits.back();
  note.row = row_index;
  if (error != MPI_SUCCESS) note.error = error;
  note.send_offset_bytes = static_cast<std::uint64_t>(placement.send - arena_->bytes().data());
  note.recv_offset_bytes = static_cast<std::uint64_t>(placement.recv - arena_->bytes().data());
}

// All ranks of the arm leave a step together. Those that a visit was without sleep meanwhile.
void Launch::leave(const Team& team) const {
  if (team.whole()) {
    MPI_Barrier(sync_comm_);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(sync_comm_, &request);
  int done = 0;
  std::int64_t nap_ns = kShortestNapNs;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    if (team.member()) continue;
    const timespec nap{0, nap_ns};
    nanosleep(&nap, nullptr);
    nap_ns = std::min(2 * nap_ns, kLongestNapNs);
  }
}

void Launch::finish() {
  check_clock_source();
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) own_.peak_memory_bytes = usage.ru_maxrss * 1024;
  std::uint32_t env_crc = 0;
  const std::vector<std::string> network = gather_texts(
      control_,
      hosts_.leader ? network_deltas_json(counters_begin_, network_counters()) : std::string());
  if (is_writer()) {
    const std::string env = launch_facts_json({.spec = spec_,
                                               .hosts = hosts_.count,
                                               .clocks = *clocks_,
                                               .rank_hosts = rank_hosts_,
                                               .rank_cpus = rank_cpus_,
                                               .environments = environments_,
                                               .network = network,
                                               .own = own_,
                                               .batch_calls = batch_calls_});
    RecordFile file(dir_ + "/env.json");
    file.append(env.data(), env.size());
    file.sync();
    env_crc = file.crc();
  }
  if (!recorder_) throw std::logic_error("a launch without a prepare step");
  recorder_->finish(env_crc);
  turns_->finish();
}

void Launch::run() {
  hosts_ = find_hosts(control_);
  rank_hosts_ = gather_texts(control_, host_name());
  rank_cpus_ = gather_texts(control_, std::to_string(bound_cpu()));
  check_job();
  if (spec_.hosts > 1) connect_all(control_);
  clocks_.emplace(control_);
  const std::int64_t plan_begin_ns = clock::monotonic_raw_ns();
  read_plan();
  own_.plan_ns = clock::monotonic_raw_ns() - plan_begin_ns;
  make_cells();
  environments_ = gather_texts(
      control_, hosts_.leader ? environment_json(spec_.full_environment) : std::string());
  if (hosts_.leader) counters_begin_ = network_counters();
  clocks_->measure();
  std::int64_t wait_begin_ns = clock::monotonic_raw_ns();
  join_group();
  own_.waiting_ns = clock::monotonic_raw_ns() - wait_begin_ns;
  make_visitors();
  wait_begin_ns = clock::monotonic_raw_ns();
  turns_->start();
  bool maps_checked = false;
  while (const Step* step = turns_->next()) {
    if (wait_begin_ns != 0) {
      own_.waiting_ns += clock::monotonic_raw_ns() - std::exchange(wait_begin_ns, 0);
    }
    if (step->kind == StepKind::kVisit && own_.first_visit_ns == 0) {
      own_.first_visit_ns = clock::monotonic_raw_ns() - begin_ns_;
    }
    if (!std::exchange(maps_checked, true)) check_maps();
    switch (step->kind) {
      case StepKind::kPrepare:
        prepare();
        break;
      case StepKind::kVisit:
        visit(plan_.rows[step->row], step->row);
        page_->note({Activity::kLeaving, step->row});
        leave(*cells_[plan_.rows[step->row].cell].team);
        break;
      case StepKind::kFlush:
        recorder_->flush(*segment_, plan_, [this](const record::PlanRow& row) -> const Team& {
          return *cells_[row.cell].team;
        });
        break;
    }
    if (step->kind != StepKind::kVisit) MPI_Barrier(sync_comm_);
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
