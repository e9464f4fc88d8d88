#include "host/facts.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "host/cgroup.hpp"
#include "host/files.hpp"

namespace invar::host {
namespace {

// "[madvise]" of "always [madvise] never".
Text bracketed(const Text& text) {
  if (!text) return std::nullopt;
  const std::size_t open = text->find('[');
  const std::size_t close = text->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return text;
  return text->substr(open + 1, close - open - 1);
}

Number kib(std::string_view meminfo, std::string_view key) {
  const Text value = value_of(meminfo, key);
  if (!value) return std::nullopt;
  return base::parse_u64(base::split(*value, ' ').front());
}

bool has_word(std::string_view text, std::string_view word) {
  const std::vector<std::string_view> words = base::split(text, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

void read_frequency(const std::string& cpus, Processor& processor) {
  std::set<std::string> governors;
  for (const std::string& name : list_directory(cpus)) {
    if (!name.starts_with("cpu") || !base::parse_u64(std::string_view(name).substr(3))) continue;
    const std::string folder = cpus + "/" + name + "/cpufreq/";
    if (const Text governor = read_line(folder + "scaling_governor")) governors.insert(*governor);
    if (!processor.frequency_driver) {
      processor.frequency_driver = read_line(folder + "scaling_driver");
    }
  }
  if (!governors.empty()) {
    const std::vector<std::string> each(governors.begin(), governors.end());
    processor.governors = base::join(each, ",");
  }
  if (const Text no_turbo = read_line(cpus + "/intel_pstate/no_turbo")) {
    processor.turbo = *no_turbo == "0";
  } else if (const Text boost = read_line(cpus + "/cpufreq/boost")) {
    processor.turbo = *boost == "1";
  }
}

std::vector<Cache> read_caches(const std::string& cpus) {
  std::vector<Cache> caches;
  const std::string folder = cpus + "/cpu0/cache";
  for (const std::string& index : list_directory(folder)) {
    if (!index.starts_with("index")) continue;
    const std::string here = folder + "/" + index + "/";
    Cache cache;
    cache.level = read_number(here + "level").value_or(0);
    cache.type = read_line(here + "type").value_or("");
    cache.size = read_line(here + "size").value_or("");
    cache.shared_cpus = read_line(here + "shared_cpu_list").value_or("");
    cache.ways = read_number(here + "ways_of_associativity");
    if (cache.ways == 0U) cache.ways.reset();
    cache.line_bytes = read_number(here + "coherency_line_size");
    caches.push_back(std::move(cache));
  }
  return caches;
}

Processor read_processor(const std::string& root) {
  Processor processor;
  const std::string cpuinfo = base::read_file(root + "/proc/cpuinfo").value_or("");
  processor.model = value_of(cpuinfo, "model name");
  if (!processor.model) processor.model = value_of(cpuinfo, "CPU part");
  processor.microcode = value_of(cpuinfo, "microcode");
  processor.flags = value_of(cpuinfo, "flags");
  if (!processor.flags) processor.flags = value_of(cpuinfo, "Features");
  for (const std::string_view line : base::split(cpuinfo, '\n')) {
    if (!line.starts_with("cpu MHz")) continue;
    const std::optional<double> mhz =
        base::parse_double(base::trim(line.substr(line.find(':') + 1)));
    if (!mhz) continue;
    processor.mhz_min = std::min(processor.mhz_min.value_or(*mhz), *mhz);
    processor.mhz_max = std::max(processor.mhz_max.value_or(*mhz), *mhz);
  }
  const std::string cpus = root + "/sys/devices/system/cpu";
  read_frequency(cpus, processor);
  processor.smt = read_line(cpus + "/smt/control");
  if (const Text active = read_line(cpus + "/smt/active")) processor.smt_active = *active == "1";
  processor.online = read_line(cpus + "/online");
  processor.isolated = read_line(cpus + "/isolated");
  processor.nohz_full = read_line(cpus + "/nohz_full");
  processor.idle_driver = read_line(cpus + "/cpuidle/current_driver");
  processor.caches = read_caches(cpus);
  const std::string nodes = root + "/sys/devices/system/node";
  for (const std::string& node : list_directory(nodes)) {
    if (!node.starts_with("node") || !base::parse_u64(std::string_view(node).substr(4))) continue;
    processor.numa.emplace_back(node, read_line(nodes + "/" + node + "/cpulist").value_or(""));
  }
  processor.hypervisor_flag = has_word(processor.flags.value_or(""), "hypervisor");
  return processor;
}

// os-release(5): assignments as a shell has them.
Text distribution_of(const std::string& root) {
  for (const char* file : {"/etc/os-release", "/usr/lib/os-release"}) {
    const std::string text = base::read_file(root + file).value_or("");
    for (std::string_view line : base::split(text, '\n')) {
      constexpr std::string_view kName = "PRETTY_NAME=";
      if (!line.starts_with(kName)) continue;
      line = base::trim(line.substr(kName.size()));
      const bool quoted = line.size() > 1 && (line.front() == '"' || line.front() == '\'') &&
                          line.back() == line.front();
      if (quoted) line = line.substr(1, line.size() - 2);
      if (!line.empty()) return std::string(line);
    }
  }
  return std::nullopt;
}

Kernel read_kernel(const std::string& root) {
  Kernel kernel;
  kernel.distribution = distribution_of(root);
  const std::string settings = root + "/proc/sys/kernel/";
  kernel.release = read_line(settings + "osrelease");
  kernel.version = read_line(settings + "version");
  kernel.command_line = read_line(root + "/proc/cmdline");
  kernel.thp = bracketed(read_line(root + "/sys/kernel/mm/transparent_hugepage/enabled"));
  kernel.aslr = read_line(settings + "randomize_va_space");
  const std::string clock = root + "/sys/devices/system/clocksource/clocksource0/";
  kernel.clock_source = read_line(clock + "current_clocksource");
  kernel.clock_sources = read_line(clock + "available_clocksource");
  kernel.numa_balancing = read_line(settings + "numa_balancing");
  kernel.perf_paranoid = read_line(settings + "perf_event_paranoid");
  const std::string meminfo = base::read_file(root + "/proc/meminfo").value_or("");
  kernel.huge_pages = value_of(meminfo, "HugePages_Total");
  kernel.huge_page_kib = value_of(meminfo, "Hugepagesize");
  const std::string faults = root + "/sys/devices/system/cpu/vulnerabilities";
  std::string mitigations;
  for (const std::string& name : list_directory(faults)) {
    const Text state = read_line(faults + "/" + name);
    if (!state || *state == "Not affected") continue;
    if (!mitigations.empty()) mitigations += "; ";
    mitigations += name + ": " + *state;
  }
  if (!mitigations.empty()) kernel.mitigations = mitigations;
  return kernel;
}

Load read_load(const std::string& root) {
  Load load;
  load.average = read_line(root + "/proc/loadavg");
  const std::string stat = base::read_file(root + "/proc/stat").value_or("");
  if (const Text cpu = value_of(stat, "cpu")) {
    std::uint64_t total = 0;
    std::size_t column = 0;
    for (const std::string_view word : base::split(*cpu, ' ')) {
      const Number ticks = base::parse_u64(word);
      if (!ticks) continue;
      if (column == 7) load.steal_ticks = *ticks;
      // Guest time is part of user time already.
      if (column < 8) total += *ticks;
      ++column;
    }
    load.total_ticks = total;
  }
  load.cpu_pressure = read_line(root + "/proc/pressure/cpu");
  const std::string meminfo = base::read_file(root + "/proc/meminfo").value_or("");
  load.memory_total_kib = kib(meminfo, "MemTotal");
  load.memory_available_kib = kib(meminfo, "MemAvailable");
  load.swap_total_kib = kib(meminfo, "SwapTotal");
  load.swap_free_kib = kib(meminfo, "SwapFree");
  const SharedMemory shared = shared_memory(root);
  load.shm_bytes = shared.bytes;
  load.shm_free_bytes = shared.free_bytes;
  return load;
}

Text container_hint(const std::string& root) {
  if (read_line(root + "/.dockerenv")) return "docker";
  if (const Text podman = read_line(root + "/run/.containerenv")) return "podman";
  if (Text systemd = read_line(root + "/run/systemd/container")) return systemd;
  const std::string environment = base::read_file(root + "/proc/1/environ").value_or("");
  for (const std::string_view entry : base::split(environment, '\0')) {
    if (entry.starts_with("container=")) return std::string(entry.substr(10));
  }
  const std::string groups = base::read_file(root + "/proc/1/cgroup").value_or("");
  for (const char* word : {"docker", "kubepods", "lxc", "containerd", "libpod"}) {
    if (groups.find(word) != std::string::npos) return std::string(word);
  }
  return std::nullopt;
}

Identity read_identity(const std::string& root, const Processor& processor) {
  Identity identity;
  if (root.empty()) {
    char name[256] = "";
    if (gethostname(name, sizeof(name) - 1) == 0) identity.host_name = std::string(name);
  } else {
    identity.host_name = read_line(root + "/proc/sys/kernel/hostname");
  }
  identity.boot_id = read_line(root + "/proc/sys/kernel/random/boot_id");
  identity.uts_namespace = read_link(root + "/proc/self/ns/uts");
  identity.time_namespace = read_link(root + "/proc/self/ns/time");
  if (const Text uptime = read_line(root + "/proc/uptime")) {
    identity.uptime_s = std::string(base::split(*uptime, ' ').front());
  }
  identity.hypervisor = read_line(root + "/sys/hypervisor/type");
  if (!identity.hypervisor && processor.hypervisor_flag) {
    identity.hypervisor = read_line(root + "/sys/class/dmi/id/product_name");
    if (!identity.hypervisor) identity.hypervisor = "unnamed (CPU flag 'hypervisor')";
  }
  identity.container = container_hint(root);
  return identity;
}

}  // namespace

std::vector<unsigned> parse_cpu_list(std::string_view text) {
  std::vector<unsigned> cpus;
  for (const std::string_view part : base::split(base::trim(text), ',')) {
    const std::size_t dash = part.find('-');
    const Number first = base::parse_u64(part.substr(0, dash));
    const Number last =
        dash == std::string_view::npos ? first : base::parse_u64(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > 1'000'000) return {};
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu)
      cpus.push_back(static_cast<unsigned>(cpu));
  }
  return cpus;
}

std::string cpu_list_text(const std::vector<unsigned>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(cpus[i]);
    if (last > i) text += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

std::vector<std::string> rdma_devices(const std::string& root) {
  return list_directory(root + "/sys/class/infiniband");
}

std::map<std::string, std::uint64_t> network_counters(const std::string& root) {
  std::map<std::string, std::uint64_t> counters;
  const std::string net = root + "/sys/class/net";
  for (const std::string& device : list_directory(net)) {
    for (const char* counter : {"rx_bytes", "rx_packets", "tx_bytes", "tx_packets", "rx_dropped",
                                "tx_dropped", "rx_errors", "tx_errors"}) {
      if (const Number value = read_number(net + "/" + device + "/statistics/" + counter)) {
        counters[device + "." + counter] = *value;
      }
    }
  }
  const std::string infiniband = root + "/sys/class/infiniband";
  for (const std::string& device : rdma_devices(root)) {
    for (const std::string& port : list_directory(infiniband + "/" + device + "/ports")) {
      const std::string folder = infiniband + "/" + device + "/ports/" + port;
      for (const char* set : {"counters", "hw_counters"}) {
        for (const std::string& counter : list_directory(folder + "/" + set)) {
          if (const Number value = read_number(folder + "/" + set + "/" + counter)) {
            counters[device + ":" + port + "." + counter] = *value;
          }
        }
      }
    }
  }
  return counters;
}

SharedMemory shared_memory(const std::string& root) {
  struct statvfs shm {};
  if (statvfs((root + "/dev/shm").c_str(), &shm) != 0) return {};
  return {.bytes = static_cast<std::uint64_t>(shm.f_blocks) * shm.f_frsize,
          .free_bytes = static_cast<std::uint64_t>(shm.f_bavail) * shm.f_frsize};
}

Number available_memory_bytes(const std::string& root) {
  const std::string meminfo = base::read_file(root + "/proc/meminfo").value_or("");
  const Number available_kib = kib(meminfo, "MemAvailable");
  if (!available_kib) return std::nullopt;
  return std::min(*available_kib * 1024, read_limits(root).memory_limit_bytes.value_or(UINT64_MAX));
}

Number Cache::size_bytes() const {
  std::string_view text = size;
  std::uint64_t unit = 1;
  if (text.ends_with('K')) unit = std::uint64_t{1} << 10U;
  if (text.ends_with('M')) unit = std::uint64_t{1} << 20U;
  if (unit != 1) text.remove_suffix(1);
  const auto number = base::parse_u64(text);
  return number && *number > 0 ? Number(*number * unit) : std::nullopt;
}

std::vector<Cache> data_caches(const std::string& root) {
  std::vector<Cache> caches = read_caches(root + "/sys/devices/system/cpu");
  std::erase_if(caches, [](const Cache& cache) { return cache.type == "Instruction"; });
  std::stable_sort(caches.begin(), caches.end(),
                   [](const Cache& a, const Cache& b) { return a.level < b.level; });
  return caches;
}

std::uint32_t widest_load_bytes(const std::string& proc) {
  struct Width {
    const char* flag;
    std::uint32_t bytes;
  };
  constexpr std::array<Width, 4> kKnown{
      {{"avx512f", 64}, {"avx2", 32}, {"sse2", 16}, {"asimd", 16}}};
  constexpr std::uint32_t kOfAWord = 8;
  const std::string cpuinfo = base::read_file(proc + "/cpuinfo").value_or("");
  Text flags = value_of(cpuinfo, "flags");
  if (!flags) flags = value_of(cpuinfo, "Features");
  for (const Width& width : kKnown) {
    if (has_word(flags.value_or(""), width.flag)) return width.bytes;
  }
  return kOfAWord;
}

Number last_level_cache_bytes(const std::string& root) {
  Number largest;
  for (const Cache& cache : read_caches(root + "/sys/devices/system/cpu")) {
    if (const Number bytes = cache.size_bytes()) largest = std::max(largest.value_or(0), *bytes);
  }
  return largest;
}

Facts read_facts(const std::string& root) {
  Facts facts;
  facts.processor = read_processor(root);
  facts.identity = read_identity(root, facts.processor);
  facts.kernel = read_kernel(root);
  facts.limits = read_limits(root);
  facts.load = read_load(root);
  return facts;
}

}  // namespace invar::host
