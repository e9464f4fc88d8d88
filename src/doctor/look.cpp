// The looking part of the doctor: everything that takes time or touches the machine.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "clock/ticks.hpp"
#include "doctor/doctor.hpp"
#include "host/files.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/libraries/toolchain.hpp"
#include "launch/process/paths.hpp"
#include "launch/start/launcher.hpp"
#include "launch/start/together.hpp"
#include "launch/systems/system.hpp"

namespace invar::doctor {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Two lines apart: adjacent ones are fetched together on many processors.
struct alignas(256) Line {
  std::atomic<std::uint64_t> value{0};
};

void bind_thread(std::uint32_t cpu) {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  pthread_setaffinity_np(pthread_self(), bytes, set);
  CPU_FREE(set);
}

struct Used {
  std::uint64_t ticks = 0;
  std::string name = {};
};

// CPU ticks that each process has used.
std::map<int, Used> used_ticks() {
  std::map<int, Used> all;
  for (const std::string& entry : host::list_directory("/proc")) {
    const auto pid = base::parse_u64(entry);
    if (!pid) continue;
    const auto stat = host::read_line("/proc/" + entry + "/stat");
    if (!stat) continue;
    const std::size_t open = stat->find('(');
    const std::size_t close = stat->rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;
    const std::vector<std::string_view> fields =
        base::split(std::string_view(*stat).substr(close + 1), ' ');
    // Behind the name: "", state, ppid, ...; utime and stime are fields 14 and 15 of the whole.
    if (fields.size() < 14) continue;
    all[static_cast<int>(*pid)] = {
        base::parse_u64(fields[12]).value_or(0) + base::parse_u64(fields[13]).value_or(0),
        stat->substr(open + 1, close - open - 1)};
  }
  return all;
}

std::vector<BusyProcess> busy_between(const std::map<int, Used>& before,
                                      const std::map<int, Used>& after, double seconds) {
  std::vector<BusyProcess> busy;
  const double per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const auto& [pid, now] : after) {
    const auto then = before.find(pid);
    if (pid == getpid() || then == before.end() || now.ticks < then->second.ticks) continue;
    const double cpus = static_cast<double>(now.ticks - then->second.ticks) / per_second / seconds;
    if (cpus >= 0.1) busy.push_back({pid, now.name, cpus});
  }
  std::sort(busy.begin(), busy.end(),
            [](const BusyProcess& a, const BusyProcess& b) { return a.cpus > b.cpus; });
  return busy;
}

// As `run` would: see driver::prepare() and driver::check_launches().
void try_launches(Observed& seen) {
  try {
    seen.hosts = launch::job_hosts();
  } catch (const base::UserError& error) {
    seen.hosts_problem = error.what();
    return;
  }
  launch::StartOptions options{.oversubscribe = seen.cores.size() < 2};
  if (!seen.hosts.empty()) {
    std::uint32_t each = 0;
    for (design::Host& host : seen.hosts) {
      if (host.slots == 0) host.slots = static_cast<std::uint32_t>(seen.cores.size());
      each = each == 0 ? host.slots : std::min(each, host.slots);
    }
    options = {.ranks = each * static_cast<std::uint32_t>(seen.hosts.size()), .hosts = seen.hosts};
  }
  for (const launch::Profile& profile : launch::ready_profiles()) {
    for (const launch::NamedSystem& system : launch::launch_systems()) {
      const auto works_here = system.system->works_here;
      if (works_here != nullptr && !works_here()) continue;
      if (!system.system->takes_template && !profile.launch_template.empty()) continue;
      const bool own = system.name == design::kOwnLauncher;
      options.launcher = system.name;
      LaunchTrial trial{.how = profile.name + (own ? "" : " by " + options.launcher)};
      try {
        launch::check_start(profile, options, false);
        if (!options.hosts.empty() || !own) trial.alone = launch::alone_problem(profile, options);
        if (trial.alone.empty())
          trial.together = launch::together_problem(profile, profile, options);
      } catch (const base::UserError& error) {
        trial.alone = error.what();
      }
      seen.trials.push_back(std::move(trial));
    }
  }
}

}  // namespace

std::optional<CorePing> ping_cores(const std::vector<std::uint32_t>& cpus, double seconds) {
  if (cpus.size() < 2) return std::nullopt;
  CorePing ping{cpus[0], cpus[1], {}};
  Line there;
  Line back;
  std::atomic<bool> stop{false};
  const auto end = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                            std::chrono::duration<double>(seconds));
  std::thread echo([&] {
    bind_thread(ping.second_cpu);
    std::uint64_t seen = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      const std::uint64_t now = there.value.load(std::memory_order_acquire);
      if (now != seen) {
        seen = now;
        back.value.store(now, std::memory_order_release);
      }
    }
  });
  std::thread ball([&] {
    bind_thread(ping.first_cpu);
    constexpr std::size_t kTrips = 31;
    std::vector<std::int64_t> trips(kTrips);
    std::uint64_t number = 0;
    while (SteadyClock::now() < end) {
      for (std::int64_t& trip : trips) {
        const std::int64_t begin = clock::monotonic_raw_ns();
        there.value.store(++number, std::memory_order_release);
        std::uint32_t spins = 0;
        while (back.value.load(std::memory_order_acquire) != number) {
          if (++spins % 4096 == 0 && SteadyClock::now() >= end) break;
        }
        trip = clock::monotonic_raw_ns() - begin;
      }
      // The batch that the end cut short has trips that never came back.
      if (SteadyClock::now() >= end) break;
      std::nth_element(trips.begin(), trips.begin() + kTrips / 2, trips.end());
      ping.medians_ns.push_back(static_cast<double>(trips[kTrips / 2]));
      // Regimes last from 50 ms on; some hundred samples show them.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    stop = true;
  });
  ball.join();
  echo.join();
  return ping;
}

Observed look() {
  Observed seen;
  seen.facts = host::read_facts();
  const clock::TscTrust tsc = clock::tsc_trust();
  seen.tsc_trusted = tsc.trusted;
  seen.tsc_reason = tsc.reason;
  seen.cores = launch::core_cpus();
  for (const launch::Toolchain& toolchain : launch::detect_toolchains()) {
    seen.libraries.push_back(toolchain.mpicxx);
  }
  seen.launcher_without_wrapper =
      seen.libraries.empty() && (launch::find_program("mpirun") || launch::find_program("mpiexec"));
  try_launches(seen);
  const auto begin = SteadyClock::now();
  const std::map<int, Used> before = used_ticks();
  constexpr double kLookS = 0.3;
  seen.ping = ping_cores(seen.cores, kLookS);
  if (!seen.ping) std::this_thread::sleep_for(std::chrono::duration<double>(kLookS));
  const double seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
  seen.busy = busy_between(before, used_ticks(), seconds);
  const host::Load after = host::read_facts().load;
  const host::Load& first = seen.facts.load;
  if (after.steal_ticks && first.steal_ticks && after.total_ticks && first.total_ticks &&
      *after.total_ticks > *first.total_ticks) {
    seen.steal = static_cast<double>(*after.steal_ticks - *first.steal_ticks) /
                 static_cast<double>(*after.total_ticks - *first.total_ticks);
  }
  return seen;
}

}  // namespace invar::doctor
