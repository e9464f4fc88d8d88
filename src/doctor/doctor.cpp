#include "doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::doctor {
namespace {

class Examination {
 public:
  explicit Examination(const Observed& seen) : seen_(seen) {}

  DoctorReport report() {
    libraries();
    turns();
    cores();
    frequency();
    clock_source();
    virtualisation();
    regimes();
    others();
    limits();
    memory();
    kernel();
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
    const auto count = [&](Severity severity) {
      return std::count_if(report_.findings.begin(), report_.findings.end(),
                           [&](const Finding& finding) { return finding.severity == severity; });
    };
    const auto problems = count(Severity::kProblem);
    const auto cautions = count(Severity::kCaution);
    if (problems > 0) {
      report_.sentence = fmt::format("{} thing{} on this machine must be mended before measuring.",
                                     problems, problems == 1 ? "" : "s");
    } else if (cautions > 0) {
      report_.sentence =
          fmt::format("This machine can be measured, but {} thing{} will make results scatter.",
                      cautions, cautions == 1 ? "" : "s");
    } else {
      report_.sentence = "Nothing was found on this machine that would spoil measurements.";
    }
    return std::move(report_);
  }

 private:
  void find(Severity severity, std::string topic, std::string what, std::string why,
            std::string remedy) {
    report_.findings.push_back(
        {severity, std::move(topic), std::move(what), std::move(why), std::move(remedy)});
  }
  void good(std::string what) { report_.healthy.push_back(std::move(what)); }

  void libraries() {
    if (!seen_.libraries.empty()) {
      good(fmt::format("MPI libraries: {}", base::join(seen_.libraries, ", ")));
      return;
    }
    if (seen_.launcher_without_wrapper) {
      find(Severity::kProblem, "MPI libraries",
           "there is an MPI launcher, but no compiler wrapper (mpicxx)",
           "the engine is built with the library's own wrapper",
           "apt-get install -y libopenmpi-dev libmpich-dev (or the site's development module)");
      return;
    }
    find(Severity::kProblem, "MPI libraries", "no MPI library was found",
         "there is nothing to measure",
         "apt-get install -y openmpi-bin libopenmpi-dev mpich libmpich-dev, or invar mpi add");
  }

  // "", " on node1, node2"
  [[nodiscard]] std::string where() const {
    constexpr std::size_t kMostNames = 8;
    if (seen_.hosts.empty()) return "";
    std::vector<std::string> names;
    for (const design::Host& host : seen_.hosts) names.push_back(host.name);
    return " on " + base::first_items(names, kMostNames, ", ");
  }

  void turns() {
    if (!seen_.hosts_problem.empty()) {
      find(Severity::kProblem, "hosts", seen_.hosts_problem,
           "a campaign that names no hosts takes those of the batch job",
           "name them in [engine] hosts");
    }
    std::vector<std::string> able;
    for (const LaunchTrial& trial : seen_.trials) {
      if (!trial.alone.empty()) {
        find(Severity::kCaution, "launches", "with " + trial.how + where() + ": " + trial.alone,
             "what cannot be started cannot be measured",
             "choose what works by launcher in [engine] (mpirun or srun); do all hosts see the "
             "engine, and does the library find its network?");
      } else if (!trial.together.empty()) {
        find(Severity::kCaution, "turns",
             "by turns: no with " + trial.how + where() + ": " + trial.together,
             "arms take turns in launches that are alive at the same time",
             "write pairing = \"launches\" into [engine]: less exact, but one launch at a time");
      } else {
        able.push_back(trial.how);
      }
    }
    if (!able.empty()) {
      good("by turns: yes, two launches run at once" + where() + " (" + base::join(able, ", ") +
           ")");
    }
  }

  void cores() {
    const std::size_t count = seen_.cores.size();
    if (count < 2) {
      find(Severity::kProblem, "cores", fmt::format("{} core can be used", count),
           "ranks that share a core measure the scheduler, not the library",
           "allow this process more CPUs (taskset, cpuset, the container's limits)");
    } else {
      good(fmt::format("{} cores can be used", count));
    }
    const host::Processor& cpu = seen_.facts.processor;
    if (cpu.smt_active.value_or(false)) {
      find(Severity::kNote, "SMT", "hardware threads share cores",
           "whatever runs on the sibling of a rank's core takes part of it; Invar itself uses one "
           "thread a core",
           "echo off > /sys/devices/system/cpu/smt/control, or keep the siblings idle");
    }
    if (cpu.isolated.value_or("").empty()) {
      find(Severity::kNote, "isolation", "no CPUs are isolated from the scheduler",
           "system services may run on the ranks' cores",
           "boot with isolcpus=... nohz_full=... for the quietest measurements");
    }
    if (cpu.numa.size() > 1) {
      find(Severity::kNote, "NUMA", fmt::format("{} memory nodes", cpu.numa.size()),
           "times depend on which node ranks and buffers are on; the rank-to-core map is recorded",
           "compare only runs with the same map");
    }
  }

  void frequency() {
    const host::Processor& cpu = seen_.facts.processor;
    if (!cpu.governors) {
      find(Severity::kNote, "frequency", "the CPU frequency cannot be read (no cpufreq)",
           "a change of frequency changes every time, and nothing here would tell",
           "where this is a virtual machine, only its host knows; take turns (the default)");
    } else if (*cpu.governors != "performance") {
      find(Severity::kCaution, "frequency", "the frequency governor is " + *cpu.governors,
           "cores speed up and slow down with their load, so that the same call takes different "
           "times",
           "cpupower frequency-set -g performance");
    } else {
      good("frequency governor: performance");
    }
    if (cpu.turbo.value_or(false)) {
      find(Severity::kCaution, "turbo", "turbo (boost) is on",
           "the frequency depends on temperature and on what other cores do",
           cpu.frequency_driver.value_or("") == "intel_pstate"
               ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
               : "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
    }
  }

  void clock_source() {
    const std::string source = seen_.facts.kernel.clock_source.value_or("unknown");
    if (seen_.tsc_trusted) {
      good("clock: TSC, constant, not stopping, and trusted by the kernel");
    } else {
      find(Severity::kCaution, "clock",
           fmt::format("the TSC cannot be trusted: {} (the kernel uses {})", seen_.tsc_reason,
                       source),
           "CLOCK_MONOTONIC_RAW is used instead; a reading costs more and may be coarser",
           "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, if the "
           "processor has an invariant TSC");
    }
  }

  void virtualisation() {
    const host::Identity& identity = seen_.facts.identity;
    if (identity.hypervisor) {
      find(Severity::kCaution, "virtual machine", "hypervisor: " + *identity.hypervisor,
           "the host moves virtual cores and shares them with others, unseen from here",
           "many short launches that take turns (the default); for absolute times use bare metal");
    } else {
      good("no hypervisor");
    }
    if (identity.container) {
      find(Severity::kNote, "container", "this is a container (" + *identity.container + ")",
           "limits on CPUs and memory may come from outside", "");
    }
    if (seen_.steal && *seen_.steal > 0.005) {
      find(Severity::kCaution, "steal",
           fmt::format("{:.1f} % of the CPU time was taken by the hypervisor", 100 * *seen_.steal),
           "ranks stand still meanwhile", "measure when the host is quiet");
    }
  }

  void regimes() {
    if (!seen_.ping || seen_.ping->medians_ns.size() < 8) return;
    std::vector<double> sorted = seen_.ping->medians_ns;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) {
      return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    };
    const double low = at(0.1);
    const double high = at(0.9);
    const std::string range =
        fmt::format("{:.0f} to {:.0f} ns between cores {} and {} within {} samples", low, high,
                    seen_.ping->first_cpu, seen_.ping->second_cpu, sorted.size());
    // Within one regime the batches' medians differ by less than a third.
    if (high > 1.5 * low) {
      find(Severity::kCaution, "regimes", "a cache line's round trip takes " + range,
           "the distance between the cores changes while measuring: another process, the "
           "frequency, or a host that moves virtual cores",
           "let arms take turns (the default), look at the canary, use many launches");
    } else {
      good("one regime: a cache line's round trip takes " + range);
    }
  }

  void others() {
    double cpus = 0;
    std::string names;
    for (const BusyProcess& process : seen_.busy) {
      cpus += process.cpus;
      if (process.cpus < 0.1) continue;
      if (!names.empty()) names += ", ";
      names += fmt::format("{} ({}, {:.0f} %)", process.name, process.pid, 100 * process.cpus);
      if (names.size() > 120) break;
    }
    if (cpus > 0.2) {
      find(Severity::kCaution, "load", "other processes are busy: " + names,
           "they take cores, caches and memory bandwidth from the ranks",
           "end them, or wait until they are done");
    } else {
      good("no other process is busy");
    }
  }

  void limits() {
    const host::Limits& limits = seen_.facts.limits;
    if (limits.cpu_quota) {
      const bool tight = *limits.cpu_quota < static_cast<double>(seen_.cores.size());
      find(tight ? Severity::kProblem : Severity::kNote, "CPU quota",
           fmt::format("a control group limits this to {:.2f} CPUs", *limits.cpu_quota),
           "ranks that spin use up the quota, and all stand still until the next period",
           "raise cpu.max (cpu.cfs_quota_us), or run outside of the container");
    }
    if (limits.memlock_bytes && *limits.memlock_bytes < (std::uint64_t{64} << 20U)) {
      find(Severity::kNote, "locked memory",
           "at most " + base::size_text(*limits.memlock_bytes) + " may be locked",
           "RDMA transports need locked memory and fall back to slower ones without it",
           "ulimit -l unlimited (limits.conf)");
    }
  }

  void memory() {
    const host::Load& load = seen_.facts.load;
    if (load.memory_available_kib && load.memory_total_kib &&
        *load.memory_available_kib * 10 < *load.memory_total_kib) {
      find(Severity::kCaution, "memory",
           base::size_text(*load.memory_available_kib * 1024) + " of " +
               base::size_text(*load.memory_total_kib * 1024) + " are available",
           "the kernel reclaims memory while measuring", "end what uses it");
    }
    if (load.swap_total_kib && load.swap_free_kib && *load.swap_total_kib > *load.swap_free_kib) {
      find(
          Severity::kCaution, "swap",
          base::size_text((*load.swap_total_kib - *load.swap_free_kib) * 1024) + " are swapped out",
          "pages that come back from disk while measuring cost milliseconds", "swapoff -a");
    }
    constexpr std::uint64_t kEnough = std::uint64_t{256} << 20U;
    if (load.shm_free_bytes && *load.shm_free_bytes < kEnough) {
      find(Severity::kCaution, "/dev/shm",
           base::size_text(*load.shm_free_bytes) + " are free in /dev/shm",
           "MPI libraries keep their shared memory there; they fail, or fall back to slower ways",
           "mount -o remount,size=1G /dev/shm (docker run --shm-size=1g)");
    }
  }

  void kernel() {
    const host::Kernel& kernel = seen_.facts.kernel;
    if (kernel.thp.value_or("") == "always") {
      find(Severity::kNote, "huge pages", "transparent huge pages are always on",
           "whether a buffer gets one is luck, and khugepaged works in the background",
           "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
    }
    if (kernel.aslr && *kernel.aslr != "0") {
      find(Severity::kNote, "ASLR", "addresses are random in every process",
           "placement differs between launches; Invar draws buffers at random places and repeats "
           "launches, so this is averaged and not hidden",
           "");
    }
    if (kernel.numa_balancing && *kernel.numa_balancing != "0") {
      find(Severity::kCaution, "NUMA balancing", "the kernel moves pages between memory nodes",
           "it takes pages away and faults them in again while measuring",
           "sysctl kernel.numa_balancing=0");
    }
  }

  const Observed& seen_;
  DoctorReport report_ = {};
};

}  // namespace

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::kProblem:
      return "problem";
    case Severity::kCaution:
      return "caution";
    case Severity::kNote:
      return "note";
  }
  return "note";
}

DoctorReport examine(const Observed& observed) { return Examination(observed).report(); }

}  // namespace invar::doctor
