#include "engine/launch/launch.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "clock/ticks.hpp"
#include "engine/bystanders/bystanders.hpp"
#include "engine/clocks/clocks.hpp"
#include "engine/clocks/global_clock.hpp"
#include "engine/launch/arm_barrier.hpp"
#include "engine/launch/cells.hpp"
#include "engine/launch/host.hpp"
#include "engine/launch/launch_facts.hpp"
#include "engine/launch/recorder.hpp"
#include "engine/launch/segment.hpp"
#include "engine/launch/sockets.hpp"
#include "engine/launch/team.hpp"
#include "engine/machine/machine.hpp"
#include "group/checks.hpp"
#include "group/connections.hpp"
#include "group/page.hpp"
#include "group/steps.hpp"
#include "group/turns.hpp"
#include "host/environment.hpp"
#include "host/facts.hpp"
#include "host/placement.hpp"
#include "record/p2p/levels.hpp"
#include "record/plan.hpp"

namespace invar::engine {
namespace {

// Naps of ranks that look for the message that a visit without their host is over. They are soon
// there after a short visit, and out of the way of a long one.
constexpr std::int64_t kShortestNapNs = 50'000;
constexpr std::int64_t kLongestNapNs = 1'000'000;
constexpr int kVisitOverTag = 12;

void watch_other_clock(void* turns) {
  static_cast<group::Turns*>(turns)->still_waiting("the other's clock");
}

class Launch {
 public:
  Launch(MPI_Comm world, std::string dir, const record::LaunchSpec& spec, bool bound_late);
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
  [[nodiscard]] bool counts_network() const {
    return hosts_.tells_of_host && Machine::kernel_tells_of_ranks();
  }
  [[nodiscard]] std::string place_text(std::int32_t cpu) const;
  void check_job() const;
  void read_plan();
  void join_group();
  void make_communicators();
  void connect();
  void prepare();
  void make_visit(std::uint32_t row);
  void leave(std::uint32_t row);
  bool do_meanwhile(record::Others others, const record::Cell& cell);
  void wait_for_word(std::uint32_t from);
  void hand_word_on(const Team& team);
  void tell_hosts(const Team& team);
  void finish();
  // Before ranks sleep that others may wait for.
  void barrier() { arm_barrier(sync_comm_, calls_behind_barrier(spec_.progress)); }

  std::string dir_;
  const record::LaunchSpec& spec_;
  bool bound_late_;
  MPI_Comm world_;
  int rank_ = 0;
  int ranks_ = 1;
  MPI_Comm control_ = MPI_COMM_NULL;    // gathering and agreeing, outside blocks
  MPI_Comm sync_comm_ = MPI_COMM_NULL;  // the arm's barrier
  Hosts hosts_ = {};
  std::vector<std::string> rank_hosts_ = {};
  std::vector<std::string> rank_cpus_ = {};
  std::vector<std::string> rank_places_ = {};
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
  const std::string clock_source_ =
      Machine::kernel_tells_of_ranks() ? group::clock_source_now() : std::string();
};

Launch::Launch(MPI_Comm world, std::string dir, const record::LaunchSpec& spec, bool bound_late)
    : dir_(std::move(dir)), spec_(spec), bound_late_(bound_late), world_(world) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &ranks_);
}

Launch::~Launch() {
  // Collective: while an error unwinds, the other ranks do not take part.
  if (std::uncaught_exceptions() > 0) return;
  if (cells_) cells_->free();
  global_clocks_.free();
  for (MPI_Comm* comm : {&control_, &sync_comm_}) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  }
}

void Launch::check_job() const {
  const group::RankPlace place{.rank = rank_,
                               .host = Machine::host_name(),
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
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, world_);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, world_);
  plan_ = record::read_plan(text, dir_ + "/visits.csv", record::PlanExtent::kPart);
  limits_.warmup_repetitions = spec_.warmup_repetitions;
  limits_.retry_cap = spec_.retry_cap;
  limits_.track = GlobalClocks::expected(spec_.hosts, spec_.virtual_clocks);
  steps_ = make_steps(plan_.rows, spec_.arms, limits_);
}

void Launch::join_group() {
  page_.emplace(Machine::join_page(
      spec_.group_id,
      {.arms = static_cast<std::uint32_t>(spec_.arms.size()), .local_ranks = hosts_.local_ranks},
      {.arm = spec_.arm, .local_rank = hosts_.local_rank}));
  group::RankSlot& slot = page_->slot(spec_.arm, hosts_.local_rank);
  slot.cpu.store(spec_.pinning == "core" ? bound_cpu() : -1);
  slot.rank.store(rank_);
  clocks_->share_origin(page_->header());
  const bool all_call = spec_.progress == "probe";
  const bool some_call = all_call || spec_.progress == "bystanders";
  if (!some_call && spec_.progress != "none") {
    throw base::UserError("launch.spec", "unknown progress '" + spec_.progress + "'");
  }
  std::function<void()> progress;
  if (some_call) {
    progress = [this] {
      int flag = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, control_, &flag, MPI_STATUS_IGNORE);
    };
  }
  turns_.emplace(*page_, steps_.steps,
                 group::TurnLimits{.visit_ns = static_cast<std::int64_t>(spec_.visit_limit_ns),
                                   .start_ns = static_cast<std::int64_t>(spec_.start_limit_ns)},
                 std::move(progress), &plan_,
                 all_call ? group::Callers::kAll : group::Callers::kBystanders);
}

// Communicators that carry operations are made first, so that what a library hands out to the first
// communicators is theirs.
void Launch::make_communicators() {
  cells_.emplace(CellsContext{.world = world_,
                              .control = control_,
                              .hosts = hosts_,
                              .rank_hosts = rank_hosts_,
                              .spec = spec_,
                              .plan = plan_,
                              .limits = limits_,
                              .clocks = *clocks_,
                              .global_clocks = global_clocks_});
  MPI_Comm_dup(world_, &control_);
  MPI_Comm_dup(world_, &sync_comm_);
  for (const MPI_Comm comm : {control_, sync_comm_}) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  }
  cells_->teams().make_sync();
  cells_->teams().return_errors();
}

void Launch::connect() {
  const auto connect = group::connect_of(spec_.connect, spec_.ranks, spec_.hosts);
  if (!connect) {
    throw base::UserError("launch.spec", "unknown way to connect '" + spec_.connect + "'");
  }
  if (*connect == group::Connect::kNone) return;
  if (*connect == group::Connect::kAll) {
    connect_all(control_);
    return;
  }
  const auto mine = static_cast<std::uint32_t>(rank_);
  std::vector<std::uint32_t> all(static_cast<std::size_t>(ranks_));
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::uint32_t> leaders;  // of the hosts, whose clocks are compared
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    if (hosts_.of_rank[rank] == leaders.size()) leaders.push_back(rank);
  }
  std::set<std::uint32_t> partners;
  for (const auto& some :
       {group::pattern_partners(all, mine), group::pattern_partners(leaders, mine),
        cells_->teams().partners(mine)}) {
    partners.insert(some.begin(), some.end());
  }
  partners.erase(mine);
  connect_with(control_, std::vector<std::uint32_t>(partners.begin(), partners.end()));
}

void Launch::prepare() {
  const bool fixed = spec_.pinning == "core" && !spec_.oversubscribe;
  turns_->expect_to_wait();
  clocks_->compare(*page_, control_, fixed, watch_other_clock, &*turns_);
  global_clocks_.start(control_, hosts_, *clocks_, fixed, spec_.clock_sync);
  cells_->make_visitors(*page_, *turns_);
  const bool per_rank =
      spec_.record == "per-rank" || (spec_.record == "auto" && spec_.ranks <= record::kPerRankUpTo);
  recorder_.emplace(control_, hosts_, rank_hosts_, dir_, per_rank, cells_->most_marks() > 0,
                    *clocks_, global_clocks_, limits_,
                    static_cast<std::uint16_t>(spec_.oversubscribe ? record::kOversubscribed : 0));
  cells_->verify(*page_, *recorder_);
  cells_->agree_on_warm_up(*page_, *recorder_);
  cells_->measure_delays();
}

// The visit of the plan's row, by those that make it; the others stand by, and all leave it
// together.
void Launch::make_visit(std::uint32_t row) {
  const std::size_t notes = segment_->visits.size();
  cells_->visit(row, *segment_);
  page_->note({group::Activity::kLeaving, row});
  const Team& team = cells_->team(plan_.rows[row].cell);
  const std::uint64_t probes = turns_->own_probes();
  leave(row);
  // Members see on their own host's page who has called the library meanwhile (FlagsProbes).
  const bool unseen = team.members_here() == 0 && turns_->own_probes() != probes;
  if (unseen && segment_->visits.size() > notes) segment_->visits.back().probed = true;
}

void Launch::leave(std::uint32_t row) {
  const record::Cell& cell = plan_.cells[plan_.rows[row].cell];
  const Team& team = cells_->team(cell.id);
  if (!team.whole()) {
    const bool acts = team.part() == Part::kStandsBy;
    const bool handed_on = acts && do_meanwhile(cells_->others(row), cell);
    if (team.part() == Part::kMeasures) {
      if (team.local_members() < hosts_.local_ranks) turns_->visit_over(team.local_members());
      tell_hosts(team);
    } else if (const auto from = team.visit_word().from; !from) {
      turns_->stand_by();
    } else if (!handed_on) {
      wait_for_word(*from);
      hand_word_on(team);
    }
  }
  barrier();
}

// By one that stands by. When this returns the visit is over, or it has nothing to do meanwhile.
// True: another host's word that it is over has come, and been handed on. At once, and not when
// this rank itself has ended: it may make traffic with one that ends only when it has the word.
bool Launch::do_meanwhile(record::Others others, const record::Cell& cell) {
  if (others == record::Others::kAsleep) return false;
  const Team& team = cells_->team(cell.id);
  const std::optional<std::uint32_t> from = team.visit_word().from;
  bool handed_on = false;
  const auto over = [&] {
    if (handed_on || turns_->visit_is_over()) return true;
    if (!from) return false;
    int come = 0;
    MPI_Iprobe(static_cast<int>(*from), kVisitOverTag, control_, &come, MPI_STATUS_IGNORE);
    if (come == 0) return false;
    hand_word_on(team);
    handed_on = true;
    return true;
  };
  stand_by_doing({.others = others,
                  .comm = team.others_comm(),
                  .partner = team.traffic_partner(),
                  .size_bytes = cell.size_bytes.value_or(0),
                  .calls_behind_barrier = calls_behind_barrier(spec_.progress),
                  .yields = spec_.oversubscribe || spec_.pinning == "none",
                  .over = over});
  return handed_on;
}

// By the leader of a host without members. Nobody there could wake it, so it looks for a message of
// another host: soon after a short visit, seldom in a long one. That search is a part of every such
// visit, whatever the level of progress: only what still_waiting() calls besides is flagged.
void Launch::wait_for_word(std::uint32_t from) {
  std::int64_t nap_ns = kShortestNapNs;
  turns_->expect_to_wait();
  for (int come = 0; come == 0;) {
    Machine::nap(nap_ns);
    nap_ns = std::min(2 * nap_ns, kLongestNapNs);
    MPI_Iprobe(static_cast<int>(from), kVisitOverTag, control_, &come, MPI_STATUS_IGNORE);
    if (come == 0) turns_->still_waiting("the end of a visit without its host");
  }
}

// The word is there: to the other ranks of this host, and to further hosts.
void Launch::hand_word_on(const Team& team) {
  MPI_Recv(nullptr, 0, MPI_BYTE, static_cast<int>(*team.visit_word().from), kVisitOverTag, control_,
           MPI_STATUS_IGNORE);
  if (hosts_.local_ranks > 1) turns_->visit_over(1);
  tell_hosts(team);
}

void Launch::tell_hosts(const Team& team) {
  for (const std::uint32_t rank : team.visit_word().to) {
    MPI_Send(nullptr, 0, MPI_BYTE, static_cast<int>(rank), kVisitOverTag, control_);
  }
}

void Launch::finish() {
  page_->note({group::Activity::kWriting});
  if (Machine::kernel_tells_of_ranks()) group::check_clock_source(clock_source_);
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) own_.peak_memory_bytes = usage.ru_maxrss * 1024;
  std::uint32_t env_crc = 0;
  const std::vector<std::string> network = gather_texts(
      control_, counts_network()
                    ? host::network_deltas_json(counters_begin_, host::network_counters())
                    : std::string());
  const std::vector<CellBuffers> buffers = cells_->buffers();
  // What a rank sent must have come before it sleeps: nobody else calls the library for it. Not
  // behind the writing of files, for which the others would wait on cores where other arms write.
  barrier();
  if (is_writer()) {
    const std::string env = launch_facts_json({.spec = spec_,
                                               .hosts = hosts_.count,
                                               .clocks = *clocks_,
                                               .rank_hosts = rank_hosts_,
                                               .rank_cpus = rank_cpus_,
                                               .rank_places = rank_places_,
                                               .bound_late = bound_late_,
                                               .environments = environments_,
                                               .network = network,
                                               .own = own_,
                                               .delay = cells_->delay_rate(),
                                               .compute = cells_->compute_rates(),
                                               .batch_calls = cells_->batch_calls(),
                                               .settling = cells_->settling(),
                                               .buffers = buffers,
                                               .memory = cells_->memory_facts()});
    RecordFile file(dir_ + "/env.json");
    file.append(env.data(), env.size());
    file.sync();
    env_crc = file.crc();
  }
  if (!recorder_) throw std::logic_error("a launch without a prepare step");
  recorder_->finish(env_crc);
  turns_->finish();
}

// Collective over world_; "" where the rank is bound to no CPU.
std::string Launch::place_text(std::int32_t cpu) const {
  constexpr std::int32_t kNoNode = -1;
  constexpr std::int32_t kNotBound = -2;  // it tells of nothing
  const auto node = cpu < 0 ? std::nullopt : host::numa_node_of(static_cast<std::uint32_t>(cpu));
  const std::int32_t own =
      cpu < 0 ? kNotBound : (node ? static_cast<std::int32_t>(*node) : kNoNode);
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(ranks_));
  MPI_Allgather(&own, 1, MPI_INT32_T, nodes.data(), 1, MPI_INT32_T, world_);
  if (cpu < 0) return {};
  const auto mine = static_cast<std::uint32_t>(rank_);
  return host::place_json(node, host::tells_of_network(hosts_.of_rank, nodes, mine));
}

void Launch::run() {
  hosts_ = find_hosts(world_);
  hosts_.socket_of_rank = find_sockets(world_);
  rank_hosts_ = gather_texts(world_, Machine::host_name());
  const std::int32_t cpu = bound_cpu();
  rank_cpus_ = gather_texts(world_, std::to_string(cpu));
  rank_places_ = gather_texts(world_, place_text(cpu));
  check_job();
  clocks_.emplace(world_, spec_.virtual_clocks);
  const std::int64_t plan_begin_ns = clock::monotonic_raw_ns();
  read_plan();
  own_.plan_ns = clock::monotonic_raw_ns() - plan_begin_ns;
  make_communicators();
  connect();
  segment_ = std::make_unique<Segment>(steps_.segment_capacity, cells_->most_marks());
  environments_ =
      gather_texts(control_, hosts_.tells_of_host ? host::environment_json(spec_.full_environment)
                                                  : std::string());
  if (counts_network()) counters_begin_ = host::network_counters();
  clocks_->measure(control_);
  std::int64_t wait_begin_ns = clock::monotonic_raw_ns();
  join_group();
  own_.waiting_ns = clock::monotonic_raw_ns() - wait_begin_ns;
  wait_begin_ns = clock::monotonic_raw_ns();
  barrier();  // as in finish()
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
        make_visit(step->row);
        if (cells_->checks(step->row)) {
          cells_->check_visit(step->row, *segment_, *page_, *recorder_);
          barrier();
        }
        break;
      case group::StepKind::kTrack:
        global_clocks_.track(control_, false);
        break;
      case group::StepKind::kFlush:
        turns_->expect_to_wait();
        clocks_->check_offsets(*page_, control_, watch_other_clock, &*turns_);
        recorder_->flush(*segment_, plan_, [this](const record::PlanRow& row) -> const Team& {
          return cells_->team(row.cell);
        });
        break;
    }
    if (step->kind != group::StepKind::kVisit) barrier();
    turns_->done();
  }
  finish();
}

}  // namespace

void run_launch(MPI_Comm world, const std::string& dir, const record::LaunchSpec& spec,
                bool bound_late) {
  Launch launch(world, dir, spec, bound_late);
  try {
    launch.run();
  } catch (...) {
    launch.give_up();
    throw;
  }
}

}  // namespace invar::engine
