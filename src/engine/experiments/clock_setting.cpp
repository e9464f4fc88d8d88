#include "engine/experiments/clock_setting.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <random>

#include "base/error.hpp"
#include "base/units.hpp"
#include "clock/domain.hpp"
#include "host/identity.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;

int own_host(MPI_Comm world, const Hosts& hosts) {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  return static_cast<int>(hosts.of_rank[static_cast<std::size_t>(rank)]);
}

}  // namespace

ClockSetting::ClockSetting(MPI_Comm world, const record::ClockSpec& spec)
    : world_(world),
      spec_(spec),
      clocks_(world),
      hosts_(find_hosts(world)),
      host_comms_(DomainComms::split(world, own_host(world, hosts_))),
      link_(world, clock_, static_cast<std::int64_t>(spec.virtual_clocks.latency_s * kPsPerS)) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &ranks_);
  for (const std::string& text : spec.algorithms) {
    algorithms_.push_back(clock::parse_algorithm(text, "clocks.spec"));
  }
  connect_all(world);
  choose_clock();
  const bool host_clocks =
      clock_.source != clock::Source::kMpiWtime && answers_follow_questions(host_comms_.domain);
  one_clock_ = hosts_.count == 1 && host_clocks;
  if (hosts_.count > 1 && host_clocks) link_.use_domains(host_comms_);
  make_virtual();
}

ClockSetting::~ClockSetting() {
  if (std::uncaught_exceptions() > 0) return;
  host_comms_.free();
}

std::optional<clock::Settings> ClockSetting::mesh() const {
  const auto found = std::find_if(
      algorithms_.begin(), algorithms_.end(),
      [](const clock::Settings& settings) { return settings.algorithm().name == "mesh"; });
  return found == algorithms_.end() ? std::nullopt : std::optional(*found);
}

// The same rate and origin on all ranks: that they differ in truth is what a model says. Not where
// the clock has another frequency, or began so long before or after that picoseconds lose digits:
// then the same on all ranks of a host.
void ClockSetting::choose_clock() {
  clock_.source = clocks_.use(spec_.clock);
  clocks_.measure(world_);
  clock_.ps_per_tick = kPsPerS / clocks_.state(clock_.source).ticks_per_s;
  MPI_Bcast(&clock_.ps_per_tick, 1, MPI_DOUBLE, 0, host_comms_.domain);
  clock_.other_ticks = [wtime = clocks_.wtime()] { return wtime.now(); };
  constexpr double kMostApartPs = 4e15;
  std::int64_t now = clocks_.with(clock_.source, [](auto clock) { return clock.now(); });
  MPI_Bcast(&now, 1, MPI_INT64_T, 0, host_comms_.domain);
  std::int64_t origin = now;
  MPI_Bcast(&origin, 1, MPI_INT64_T, 0, world_);
  const double apart_ps = static_cast<double>(now - origin) * clock_.ps_per_tick;
  clock_.origin_ticks = std::abs(apart_ps) < kMostApartPs ? origin : now;
}

// Cores of one host may have counters of their own.
bool ClockSetting::answers_follow_questions(MPI_Comm comm) {
  constexpr int kPingPongs = 100;
  const timespec apart{0, 12'000'000};
  MpiLink link(comm, clock_);
  std::vector<clock::PingPong> early;
  std::vector<clock::PingPong> late;
  clock::for_each_client(
      link, [&](const clock::Pair& pair) { link.exchange(pair, {.count = kPingPongs}, early); });
  MPI_Barrier(world_);
  nanosleep(&apart, nullptr);
  clock::for_each_client(
      link, [&](const clock::Pair& pair) { link.exchange(pair, {.count = kPingPongs}, late); });
  const clock::ClockIdentity identity{.boot_id = host::host_identity(), .source = clock_.source};
  int same = link.holds(0) || clock::same_domain(identity, identity, early, late).same ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, world_);
  return same != 0;
}

void ClockSetting::make_virtual() {
  if (!spec_.virtual_clocks.any()) return;
  if (one_clock_) {
    virtual_ = true;
    clock_.virtual_clock = clock_of_rank(spec_.virtual_clocks, rank_);
  } else if (!spec_.virtual_where_possible) {
    throw base::UserError("virtual clocks",
                          hosts_.count > 1
                              ? "the ranks are on several hosts, whose real clocks differ"
                          : clock_.source == clock::Source::kMpiWtime
                              ? "MPI_Wtime need not have one origin for all ranks"
                              : "the processor's cores do not read the same time",
                          "use one host, and the clock tsc or monotonic-raw");
  }
}

Observation ClockSetting::observe(std::int64_t at_real_ps) {
  if (one_clock_) {
    // Rank 0's clock is the real one, virtual clocks or not.
    return {clock_.virtual_clock.at_ps(at_real_ps), at_real_ps, 0};
  }
  constexpr int kPingPongs = 200;
  sleep_until(at_real_ps);
  const std::int64_t now_ps = clock_.now_ps();
  Observation mine{now_ps, now_ps, 0};
  std::vector<clock::PingPong> series;
  clock::for_each_client(link_, [&](const clock::Pair& pair) {
    link_.exchange(pair, {.count = kPingPongs}, series);
    if (rank_ != pair.client) return;
    const clock::Burst burst = clock::summarise(series);
    const clock::Offset measured = clock::bounded_offset(series);
    mine = {measured.at_ps, measured.at_ps - measured.offset_ps,
            burst.bounds(burst.middle_at_ps(), 0, 0).width_ps / 2000};
  });
  return mine;
}

void ClockSetting::sleep_until(std::int64_t real_ps) const {
  constexpr std::int64_t kSpinPs = 2'000'000'000;  // a wake-up may be late
  const std::int64_t left_ps = real_ps - clock_.real_ps() - kSpinPs;
  if (left_ps > 0) {
    const std::int64_t left_ns = left_ps / 1000;
    const timespec nap{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    nanosleep(&nap, nullptr);
  }
  while (clock_.real_ps() < real_ps) clock::pause();
}

double ClockSetting::largest(double mine) const {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world_);
  return all;
}

std::int64_t ClockSetting::latest_ps(std::int64_t mine_ps) const {
  std::int64_t all_ps = 0;
  MPI_Allreduce(&mine_ps, &all_ps, 1, MPI_INT64_T, MPI_MAX, world_);
  return one_clock_ ? all_ps : mine_ps;
}

std::vector<double> ClockSetting::gather(std::span<const double> mine) const {
  std::vector<double> all(rank_ == 0 ? static_cast<std::size_t>(ranks_) * mine.size() : 0);
  const int count = static_cast<int>(mine.size());
  MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, world_);
  return all;
}

const group::Page& ClockSetting::page() {
  if (page_) return *page_;
  std::uint64_t name =
      rank_ == 0 ? (std::uint64_t{std::random_device{}()} << 32U) | std::random_device{}() : 0;
  MPI_Bcast(&name, 1, MPI_UINT64_T, 0, world_);
  page_.emplace(group::Page::attach(
      group::Page::name_of("clocks-" + std::to_string(name), host::host_identity()),
      {.arms = 1, .local_ranks = hosts_.local_ranks}, {.arm = 0, .local_rank = hosts_.local_rank}));
  MPI_Barrier(world_);
  return *page_;
}

}  // namespace invar::engine
