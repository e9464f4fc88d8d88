// What a host says of itself: read from /proc and /sys, no MPI, no third-party library. The engine
// records it at every launch, `invar doctor` judges it. What a host does not tell is nullopt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace invar::host {

using Text = std::optional<std::string>;
using Number = std::optional<std::uint64_t>;

struct Cache {
  std::uint64_t level = 0;
  std::string type = {};  // "Data", "Instruction", "Unified"
  std::string size = {};  // "32K", as the kernel writes it
  std::string shared_cpus = {};
  Number ways = {};  // of associativity; 0 is none here: the kernel does not say
  Number line_bytes = {};

  // `size` in bytes; none: it is not a size.
  [[nodiscard]] Number size_bytes() const;
};

struct Processor {
  Text model = {};
  Text microcode = {};
  Text flags = {};
  std::optional<double> mhz_min = {};  // over the online CPUs, as /proc/cpuinfo says now
  std::optional<double> mhz_max = {};
  Text governors = {};  // each different one once, joined by ","; absent: no cpufreq
  Text frequency_driver = {};
  std::optional<bool> turbo = {};
  Text smt = {};  // /sys/devices/system/cpu/smt/control: "on", "off", "notsupported"
  std::optional<bool> smt_active = {};
  Text online = {};    // "0-1"
  Text isolated = {};  // empty text: none
  Text nohz_full = {};
  Text idle_driver = {};
  std::vector<Cache> caches = {};  // of CPU 0
  // NUMA node -> its CPUs.
  std::vector<std::pair<std::string, std::string>> numa = {};
  bool hypervisor_flag = false;
};

struct Kernel {
  Text distribution = {};  // PRETTY_NAME of os-release: "Debian GNU/Linux 12 (bookworm)"
  Text release = {};
  Text version = {};
  Text command_line = {};
  Text thp = {};  // the chosen one of "always [madvise] never"
  Text aslr = {};
  Text clock_source = {};
  Text clock_sources = {};
  Text numa_balancing = {};
  Text perf_paranoid = {};
  Text huge_pages = {};  // HugePages_Total
  Text huge_page_kib = {};
  Text mitigations = {};  // "name: state; ..." of /sys/devices/system/cpu/vulnerabilities
};

struct Limits {
  std::optional<int> cgroup_version = {};
  Text cgroup_path = {};
  std::optional<double> cpu_quota = {};  // in CPUs; none: unlimited or not told
  Text cpuset = {};
  Number memory_limit_bytes = {};
  Number throttled = {};      // periods in which the group was throttled
  Text affinity = {};         // CPUs that this process may use
  Number memlock_bytes = {};  // RLIMIT_MEMLOCK; none: unlimited
};

struct Load {
  Text average = {};        // /proc/loadavg
  Number steal_ticks = {};  // of all CPUs since boot (1/100 s)
  Number total_ticks = {};
  Text cpu_pressure = {};
  Number memory_total_kib = {};
  Number memory_available_kib = {};
  Number swap_total_kib = {};
  Number swap_free_kib = {};
  Number shm_bytes = {};  // size of /dev/shm
  Number shm_free_bytes = {};
};

struct Identity {
  Text host_name = {};
  Text boot_id = {};
  Text uts_namespace = {};
  Text time_namespace = {};
  Text uptime_s = {};
  Text hypervisor = {};  // /sys/hypervisor/type, DMI product, or "cpu flag"
  Text container = {};   // what hints at one: "docker", "systemd-nspawn", ...
};

struct Facts {
  Identity identity = {};
  Processor processor = {};
  Kernel kernel = {};
  Limits limits = {};
  Load load = {};
};

// `root` is put in front of every path; tests pass a made-up tree.
Facts read_facts(const std::string& root = "");

// What new programs may take before the host swaps or kills; not above the control group's limit.
Number available_memory_bytes(const std::string& root = "");

// /dev/shm, where libraries and launch groups keep what their ranks share; none: it is not there.
struct SharedMemory {
  Number bytes = {};
  Number free_bytes = {};
};
SharedMemory shared_memory(const std::string& root = "");

// Caches that data go through, of CPU 0, by level: the innermost first.
std::vector<Cache> data_caches(const std::string& root = "");

// Bytes that one load has at most, of those that operations know: 64 (AVX-512), 32 (AVX2), 16, or 8
// where the processor tells of none of them. `proc`: "/proc".
std::uint32_t widest_load_bytes(const std::string& proc = "/proc");

// Bytes of the last-level cache; none where the kernel does not tell.
Number last_level_cache_bytes(const std::string& root = "");

// A region beyond the cache by so much that what was touched one cycle ago is out of it.
inline constexpr std::uint64_t kCachesToLeave = 2;

// "eth0.rx_bytes" -> value, of every network interface and every port of an RDMA device.
std::map<std::string, std::uint64_t> network_counters(const std::string& root = "");

// Names of the RDMA devices.
std::vector<std::string> rdma_devices(const std::string& root = "");

// "0-3,8" -> 0 1 2 3 8; empty if it is no such list.
std::vector<unsigned> parse_cpu_list(std::string_view text);
std::string cpu_list_text(const std::vector<unsigned>& cpus);

}  // namespace invar::host
