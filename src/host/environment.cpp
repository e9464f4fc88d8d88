#include "host/environment.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"
#include "clock/ticks.hpp"
#include "host/facts.hpp"
#include "host/mapped.hpp"

extern char** environ;

namespace invar::host {
namespace {

// Variables by which users and batch systems steer MPI libraries, transports and threads.
bool is_relevant(std::string_view entry) {
  static constexpr std::array<std::string_view, 40> kBeginnings{
      "OMPI_",  "MPIR_",  "MPICH_",  "UCX_",  "UCC_",  "FI_",     "I_MPI_",  "PMIX_",
      "PRTE_",  "PMI_",   "HYDRA_",  "OMP_",  "KMP_",  "GOMP_",   "MV2_",    "MVP_",
      "HCOLL_", "SHARP_", "PSM2_",   "PSM3_", "IBV_",  "MLX5_",   "LD_",     "SLURM_",
      "PBS_",   "LSB_",   "LSF_",    "SGE_",  "FLUX_", "COBALT_", "MALLOC_", "GLIBC_",
      "NUMA_",  "HWLOC_", "TMPDIR=", "CUDA_", "HIP_",  "ROCR_",   "INVAR_",  "MPI_"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view start) { return entry.starts_with(start); });
}

// Addresses and keys of this very launch: they differ every time and say nothing, and a key has no
// place in a file that people pass on.
bool is_of_the_launch(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kBeginnings{
      "PMIX_SERVER_",   "PMIX_SECURITY", "PMIX_GDS",
      "PMIX_PTL",       "PMI_FD",        "PMI_PORT",
      "PMIX_NAMESPACE", "PMIX_DSTORE",   "OMPI_MCA_orte_precondition",
      "INVAR_PADDING"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

// Whatever a batch system or a user keeps secret: job credentials (SLURM_JWT, PBS_JOBCOOKIE),
// passwords. These files are passed on.
bool may_be_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kParts{"JWT",  "TOKEN", "COOKIE", "SECRET",
                                                          "PASS", "KEY",   "AUTH",   "CRED"};
  // Partitions of InfiniBand: these keys open nothing, and decide which network is measured.
  static constexpr std::array<std::string_view, 6> kOfLibraries{"UCX_",   "OMPI_MCA_",  "MLX5_",
                                                                "I_MPI_", "MPIR_CVAR_", "FI_"};
  if ((name.ends_with("_PKEY") || name.ends_with("_pkey")) &&
      std::ranges::any_of(kOfLibraries,
                          [&](std::string_view start) { return name.starts_with(start); })) {
    return false;
  }
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return upper.find(part) != std::string::npos; });
}

}  // namespace

bool holds_secrets(std::string_view value) {
  for (std::size_t at = value.find('='); at != std::string_view::npos;
       at = value.find('=', at + 1)) {
    const std::string_view before = value.substr(0, at);
    const std::size_t begin = before.find_last_of(",; \n\t");
    if (may_be_secret(begin == std::string_view::npos ? before : before.substr(begin + 1))) {
      return true;
    }
  }
  return false;
}

namespace {

// Those of them that change what a library does.
bool is_steering(std::string_view entry) {
  static constexpr std::array<std::string_view, 13> kBeginnings{
      "OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "MPIR_CVAR_", "MPICH_", "I_MPI_", "UCX_",
      "UCC_",      "FI_",       "HCOLL_",    "PSM2_",      "PSM3_",  "MV2_"};
  // Where a library or its parts are.
  static constexpr std::array<std::string_view, 4> kPlaces{"_ROOT", "_PATH", "_DIR", "_HOME"};
  const std::string_view name = entry.substr(0, entry.find('='));
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view start) { return entry.starts_with(start); }) &&
         std::none_of(kPlaces.begin(), kPlaces.end(),
                      [&](std::string_view end) { return name.ends_with(end); });
}

std::map<std::string, std::string> variables_where(bool (*wanted)(std::string_view)) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !wanted(text)) continue;
    const std::string_view name = text.substr(0, equals);
    if (is_of_the_launch(name) || may_be_secret(name)) continue;
    const std::string_view value = text.substr(equals + 1);
    variables.emplace(name, holds_secrets(value) ? "(not recorded)" : value);
  }
  return variables;
}

void write_variables(base::JsonWriter& json) {
  json.key("environment").begin_object();
  for (const auto& [name, value] : variables_where(is_relevant)) json.field(name, value);
  json.end_object();
}

void write_processor(base::JsonWriter& json, const Processor& processor, bool full) {
  json.key("processor").begin_object();
  json.field("model", processor.model)
      .field("microcode", processor.microcode)
      .field("mhz_min", processor.mhz_min)
      .field("mhz_max", processor.mhz_max)
      .field("governors", processor.governors)
      .field("frequency_driver", processor.frequency_driver)
      .field("turbo", processor.turbo)
      .field("smt", processor.smt)
      .field("smt_active", processor.smt_active)
      .field("online", processor.online)
      .field("isolated", processor.isolated)
      .field("nohz_full", processor.nohz_full)
      .field("idle_driver", processor.idle_driver);
  json.key("numa").begin_object();
  for (const auto& [node, cpus] : processor.numa) json.field(node, cpus);
  json.end_object();
  if (full) {
    json.field("flags", processor.flags);
    json.key("caches").begin_array();
    for (const Cache& cache : processor.caches) {
      json.begin_object()
          .field("level", cache.level)
          .field("type", cache.type)
          .field("size", cache.size)
          .field("shared_cpus", cache.shared_cpus)
          .field("ways", cache.ways)
          .field("line_bytes", cache.line_bytes)
          .end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_kernel(base::JsonWriter& json, const Kernel& kernel, bool full) {
  json.key("kernel").begin_object();
  json.field("distribution", kernel.distribution)
      .field("release", kernel.release)
      .field("version", kernel.version)
      .field("command_line", kernel.command_line)
      .field("thp", kernel.thp)
      .field("aslr", kernel.aslr)
      .field("clock_source", kernel.clock_source)
      .field("clock_sources", kernel.clock_sources)
      .field("numa_balancing", kernel.numa_balancing)
      .field("huge_pages", kernel.huge_pages)
      .field("huge_page_size", kernel.huge_page_kib);
  if (full) {
    json.field("perf_event_paranoid", kernel.perf_paranoid)
        .field("mitigations", kernel.mitigations);
  }
  json.end_object();
}

void write_limits(base::JsonWriter& json, const Limits& limits) {
  json.key("limits").begin_object();
  json.field("cgroup_version", limits.cgroup_version)
      .field("cgroup_path", limits.cgroup_path)
      .field("cpu_quota", limits.cpu_quota)
      .field("cpuset", limits.cpuset)
      .field("memory_limit_bytes", limits.memory_limit_bytes)
      .field("throttled", limits.throttled)
      .field("affinity", limits.affinity)
      .field("memlock_bytes", limits.memlock_bytes)
      .end_object();
}

void write_load(base::JsonWriter& json, const Load& load) {
  json.key("load").begin_object();
  json.field("average", load.average)
      .field("steal_ticks", load.steal_ticks)
      .field("total_ticks", load.total_ticks)
      .field("cpu_pressure", load.cpu_pressure)
      .field("memory_total_kib", load.memory_total_kib)
      .field("memory_available_kib", load.memory_available_kib)
      .field("swap_total_kib", load.swap_total_kib)
      .field("swap_free_kib", load.swap_free_kib)
      .field("shm_bytes", load.shm_bytes)
      .field("shm_free_bytes", load.shm_free_bytes)
      .end_object();
}

}  // namespace

std::map<std::string, std::string> steering_variables() { return variables_where(is_steering); }

std::string environment_json(bool full, bool own) {
  const Facts facts = read_facts();
  const clock::TscTrust tsc = clock::tsc_trust();
  base::JsonWriter json;
  json.begin_object()
      .field("boot_id", facts.identity.boot_id)
      .field("host_name", facts.identity.host_name)
      .field("uts_namespace", facts.identity.uts_namespace)
      .field("time_namespace", facts.identity.time_namespace)
      .field("uptime_s", facts.identity.uptime_s)
      .field("hypervisor", facts.identity.hypervisor)
      .field("container", facts.identity.container)
      .field("tsc_trusted", tsc.trusted)
      .field("tsc_reason", tsc.reason);
  write_processor(json, facts.processor, full);
  write_kernel(json, facts.kernel, full);
  write_limits(json, facts.limits);
  write_load(json, facts.load);
  json.key("network").begin_object();
  for (const auto& [counter, value] : network_counters()) json.field(counter, value);
  json.end_object();
  json.key("rdma_devices").begin_array();
  for (const std::string& device : rdma_devices()) json.value(device);
  json.end_array();
  write_variables(json);
  if (own) {
    json.key("mapped").begin_array();
    for (const std::string& path : mapped_libraries()) json.value(path);
    json.end_array();
  }
  json.end_object();
  return json.text();
}

std::string network_deltas_json(const std::map<std::string, std::uint64_t>& before,
                                const std::map<std::string, std::uint64_t>& after) {
  base::JsonWriter json;
  json.begin_object();
  for (const auto& [counter, now] : after) {
    const auto old = before.find(counter);
    const std::uint64_t from = old == before.end() || old->second > now ? 0 : old->second;
    if (now != from) json.field(counter, now - from);
  }
  json.end_object();
  return json.text();
}

}  // namespace invar::host
