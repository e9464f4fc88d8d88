#include "engine/launch/launch.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "clock/ticks.hpp"
#include "engine/clocks/clocks.hpp"
#include "engine/clocks/global_clock.hpp"
#include "engine/launch/cells.hpp"
#include "engine/launch/host.hpp"
#include "engine/launch/launch_facts.hpp"
#include "engine/launch/recorder.hpp"
#include "engine/launch/segment.hpp"
#include "engine/launch/team.hpp"
#include "group/checks.hpp"
#include "group/leftovers.hpp"
#include "group/page.hpp"
#include "group/steps.hpp"
#include "group/turns.hpp"
#include "host/environment.hpp"
#include "host/facts.hpp"
#include "host/identity.hpp"
#include "record/plan.hpp"

namespace invar::engine {
namespace {

// Naps of ranks that wait for a visit without them. They are soon there after a short visit, and
// out of the way of a long one.
constexpr std::int64_t kShortestNapNs = 50'000;
constexpr std::int64_t kLongestNapNs = 1'000'000;

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
  void check_job() const;
  void read_plan();
  void join_group();
  void prepare();
  void leave(const Team& team) const;
  void finish();

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
  GlobalClocks global_clocks_ = {};
  record::Plan plan_ = {};
  group::Steps steps_ = {};
  group::StepLimits limits_ = {};
  std::unique_ptr<Segment> segment_ = {};
  std::optional<group::Page> page_ = {};
  std::optional<group::Turns> turns_ = {};
  std::optional<Cells> cells_ = {};
  std::optional<Recorder> recorder_ = {};
  const std::int64_t begin_ns_ = clock::monotonic_raw_ns();
  OwnCosts own_ = {};
  std::vector<std::string> environments_ = {};  // one JSON object per host, on rank 0
  std::map<std::string, std::uint64_t> counters_begin_ = {};
  const std::string clock_source_ = group::clock_source_now();
};

Launch::Launch(MPI_Comm world, std::string dir, const record::LaunchSpec& spec)
    : dir_(std::move(dir)), spec_(spec) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &ranks_);
  MPI_Comm_dup(world, &control_);
  MPI_Comm_dup(world, &sync_comm_);
}

Launch::~Launch() {
  // Collective: while an error unwinds, the other ranks do not take part.
  if (std::uncaught_exceptions() > 0) return;
  if (cells_) cells_->free();
  global_clocks_.free();
  for (MPI_Comm* comm : {&control_, &sync_comm_}) MPI_Comm_free(comm);
}

void Launch::check_job() const {
  const group::RankPlace place{.rank = rank_,
                               .host = host::host_name(),
                               .local_rank = hosts_.local_rank,
                               .cpu = bound_cpu()};
  group::check_rank_count(spec_, ranks_);
  group::check_environment(spec_, place);
  if (rank_ == 0) group::check_hosts(spec_, hosts_.of_rank, rank_hosts_);  // it knows their names
  group::check_cpu(spec_, place);
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
  limits_.track = GlobalClocks::expected(spec_.hosts, spec_.virtual_clocks);
  steps_ = make_steps(plan_.rows, spec_.arms, limits_);
}

void Launch::join_group() {
  if (hosts_.leader) group::remove_leftovers();
  page_.emplace(group::Page::attach(
      group::Page::name_of(spec_.group_id, host::host_identity()),
      {.arms = static_cast<std::uint32_t>(spec_.arms.size()), .local_ranks = hosts_.local_ranks},
      {.arm = spec_.arm, .local_rank = hosts_.local_rank}));
  group::RankSlot& slot = page_->slot(spec_.arm, hosts_.local_rank);
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
      group::TurnLimits{.visit_ns = later(spec_.visit_limit_ns),
                        .start_ns = later(spec_.start_limit_ns)},
      [this] {
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, control_, &flag, MPI_STATUS_IGNORE);
      },
      &plan_);
}

void Launch::prepare() {
  const bool fixed = spec_.pinning == "core" && !spec_.oversubscribe;
  clocks_->compare(
      *page_, control_, fixed,
      [](void* turns) {
        static_cast<const group::Turns*>(turns)->check_partners("the other's clock");
      },
      &*turns_);
  global_clocks_.start(control_, hosts_, *clocks_, fixed);
  cells_->make_visitors(*page_, *turns_);
  const bool per_rank =
      spec_.record == "per-rank" || (spec_.record == "auto" && spec_.ranks <= record::kPerRankUpTo);
  recorder_.emplace(control_, hosts_, rank_hosts_, dir_, per_rank, cells_->most_marks() > 0,
                    *clocks_, global_clocks_,
                    static_cast<std::uint16_t>(spec_.oversubscribe ? record::kOversubscribed : 0));
  cells_->verify(*page_, *recorder_);
  cells_->agree_on_warm_up(*page_, *recorder_);
  cells_->measure_delays();
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
  group::check_clock_source(clock_source_);
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) own_.peak_memory_bytes = usage.ru_maxrss * 1024;
  std::uint32_t env_crc = 0;
  const std::vector<std::string> network = gather_texts(
      control_, hosts_.leader ? host::network_deltas_json(counters_begin_, host::network_counters())
                              : std::string());
  const std::vector<CellBuffers> buffers = cells_->buffers();
  if (is_writer()) {
    const std::string env = launch_facts_json({.spec = spec_,
                                               .hosts = hosts_.count,
                                               .clocks = *clocks_,
                                               .rank_hosts = rank_hosts_,
                                               .rank_cpus = rank_cpus_,
                                               .environments = environments_,
                                               .network = network,
                                               .own = own_,
                                               .delay = cells_->delay_rate(),
                                               .batch_calls = cells_->batch_calls(),
                                               .settling = cells_->settling(),
                                               .buffers = buffers});
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
  rank_hosts_ = gather_texts(control_, host::host_name());
  rank_cpus_ = gather_texts(control_, std::to_string(bound_cpu()));
  check_job();
  if (spec_.hosts > 1) connect_all(control_);
  clocks_.emplace(control_, spec_.virtual_clocks);
  const std::int64_t plan_begin_ns = clock::monotonic_raw_ns();
  read_plan();
  own_.plan_ns = clock::monotonic_raw_ns() - plan_begin_ns;
  cells_.emplace(CellsContext{.control = control_,
                              .hosts = hosts_,
                              .rank_hosts = rank_hosts_,
                              .spec = spec_,
                              .plan = plan_,
                              .limits = limits_,
                              .clocks = *clocks_,
                              .global_clocks = global_clocks_});
  segment_ = std::make_unique<Segment>(steps_.segment_capacity, cells_->most_marks());
  environments_ = gather_texts(
      control_, hosts_.leader ? host::environment_json(spec_.full_environment) : std::string());
  if (hosts_.leader) counters_begin_ = host::network_counters();
  clocks_->measure();
  std::int64_t wait_begin_ns = clock::monotonic_raw_ns();
  join_group();
  own_.waiting_ns = clock::monotonic_raw_ns() - wait_begin_ns;
  wait_begin_ns = clock::monotonic_raw_ns();
  turns_->start();
  bool maps_checked = false;
  while (const group::Step* step = turns_->next()) {
    if (wait_begin_ns != 0) {
      own_.waiting_ns += clock::monotonic_raw_ns() - std::exchange(wait_begin_ns, 0);
    }
    if (step->kind == group::StepKind::kVisit && own_.first_visit_ns == 0) {
      own_.first_visit_ns = clock::monotonic_raw_ns() - begin_ns_;
    }
    if (!std::exchange(maps_checked, true)) group::check_maps(spec_, *page_);
    switch (step->kind) {
      case group::StepKind::kPrepare:
        prepare();
        break;
      case group::StepKind::kVisit:
        cells_->visit(step->row, *segment_);
        page_->note({group::Activity::kLeaving, step->row});
        leave(cells_->team(plan_.rows[step->row].cell));
        if (cells_->checks(step->row)) {
          cells_->check_visit(step->row, *segment_, *page_, *recorder_);
          MPI_Barrier(sync_comm_);
        }
        break;
      case group::StepKind::kTrack:
        global_clocks_.track(control_, false);
        break;
      case group::StepKind::kFlush:
        recorder_->flush(*segment_, plan_, [this](const record::PlanRow& row) -> const Team& {
          return cells_->team(row.cell);
        });
        break;
    }
    if (step->kind != group::StepKind::kVisit) MPI_Barrier(sync_comm_);
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
