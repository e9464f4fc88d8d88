#include "host/frequency.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/files.hpp"

namespace invar::host {
namespace {

constexpr std::string_view kUnit = "kHz";
constexpr std::uint32_t kMostCpus = 65'536;

constexpr const char* kGovernor = "scaling_governor";
constexpr const char* kLeast = "scaling_min_freq";
constexpr const char* kMost = "scaling_max_freq";
constexpr std::array<const char*, 3> kSettings{kGovernor, kLeast, kMost};

constexpr std::string_view kCpuFiles = "sys/devices/system/cpu/cpu";
constexpr std::string_view kFolder = "/cpufreq/";

std::string cpus_of(const std::string& sys) { return sys + "/devices/system/cpu/"; }

std::string file_of(std::uint32_t cpu, const char* setting) {
  return std::string(kCpuFiles) + std::to_string(cpu) + std::string(kFolder) + setting;
}

// Reads "0-1,64".
void add_cpus(std::string_view list, std::set<std::uint32_t>& cpus) {
  for (const std::string_view range : base::split(list, ',')) {
    const std::size_t dash = range.find('-');
    const auto first = base::parse_u64(base::trim(range.substr(0, dash)));
    const auto last = dash == std::string_view::npos
                          ? first
                          : base::parse_u64(base::trim(range.substr(dash + 1)));
    if (!first || !last || *last >= kMostCpus) continue;
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) {
      cpus.insert(static_cast<std::uint32_t>(cpu));
    }
  }
}

// Reads "2400000kHz"; none: the level is a governor.
std::optional<std::uint64_t> khz_of(std::string_view level) {
  if (!level.ends_with(kUnit)) return std::nullopt;
  return base::parse_u64(level.substr(0, level.size() - kUnit.size()));
}

bool lists_word(std::string_view list, std::string_view word) {
  for (const std::string_view one : base::split(list, ' ')) {
    if (base::trim(one) == word) return true;
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> frequency_cpus(const std::string& sys) {
  std::set<std::uint32_t> cpus;
  // The kernel refuses a mask that is too small for its CPUs.
  for (int most = 1024; most <= static_cast<int>(kMostCpus); most *= 2) {
    cpu_set_t* mask = CPU_ALLOC(static_cast<std::size_t>(most));
    if (mask == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    const bool told = sched_getaffinity(0, bytes, mask) == 0;
    for (int cpu = 0; told && cpu < most; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask)) {
        cpus.insert(static_cast<std::uint32_t>(cpu));
      }
    }
    CPU_FREE(mask);
    if (told) break;
  }
  for (const std::uint32_t cpu : std::vector(cpus.begin(), cpus.end())) {
    const std::string file =
        cpus_of(sys) + "cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
    add_cpus(read_line(file).value_or(""), cpus);
  }
  return {cpus.begin(), cpus.end()};
}

std::optional<Refusal> frequency_refusal(const std::string& level, const HostRoots& roots) {
  for (const std::uint32_t cpu : frequency_cpus(roots.sys)) {
    const std::string folder = path_of(file_of(cpu, ""), roots);
    const std::string of_cpu = " of CPU " + std::to_string(cpu);
    const auto governor = read_line(folder + "scaling_governor");
    if (!governor) {
      return Refusal{"the frequency" + of_cpu + " cannot be controlled: there is no " + folder,
                     "in a virtual machine only its host can do that; elsewhere load the kernel's "
                     "cpufreq driver; or leave governor out"};
    }
    if (const auto khz = khz_of(level)) {
      const auto low = read_number(folder + "cpuinfo_min_freq");
      const auto high = read_number(folder + "cpuinfo_max_freq");
      if (low && high && (*khz < *low || *khz > *high)) {
        return Refusal{level + " is out of range" + of_cpu,
                       "write " + std::to_string(*low) + "kHz to " + std::to_string(*high) + "kHz"};
      }
    } else {
      const auto known = read_line(folder + "scaling_available_governors");
      if (known && !lists_word(*known, level)) {
        return Refusal{"there is no governor '" + level + "'" + of_cpu,
                       "this kernel has: " + *known};
      }
    }
    const std::string file = folder + (khz_of(level) ? "scaling_max_freq" : "scaling_governor");
    if (access(file.c_str(), W_OK) != 0) {
      return Refusal{file + " cannot be written: " + std::strerror(errno),
                     "run as root, or let root make it writable for you"};
    }
  }
  return std::nullopt;
}

SettingTexts frequency_now(const HostRoots& roots) {
  SettingTexts now;
  for (const std::uint32_t cpu : frequency_cpus(roots.sys)) {
    for (const char* setting : kSettings) {
      std::string file = file_of(cpu, setting);
      if (auto text = read_line(path_of(file, roots))) {
        now.push_back({std::move(file), std::move(*text)});
      }
    }
  }
  return now;
}

SettingTexts frequency_writes(const std::string& level, const HostRoots& roots) {
  SettingTexts writes;
  for (const std::uint32_t cpu : frequency_cpus(roots.sys)) {
    const auto khz = khz_of(level);
    if (!khz) {
      writes.push_back({file_of(cpu, kGovernor), level});
      continue;
    }
    // The kernel keeps min <= max: the bound that makes room comes first.
    const auto most = read_number(path_of(file_of(cpu, kMost), roots));
    const bool up = *khz > most.value_or(0);
    const std::string text = std::to_string(*khz);
    writes.push_back({file_of(cpu, up ? kMost : kLeast), text});
    writes.push_back({file_of(cpu, up ? kLeast : kMost), text});
  }
  return writes;
}

bool is_frequency_file(std::string_view file) {
  if (!file.starts_with(kCpuFiles)) return false;
  file.remove_prefix(kCpuFiles.size());
  const std::size_t slash = file.find('/');
  if (!base::parse_u64(file.substr(0, slash)) || slash == std::string_view::npos) return false;
  return std::any_of(kSettings.begin(), kSettings.end(), [&](const char* setting) {
    return file.substr(slash) == std::string(kFolder) + setting;
  });
}

}  // namespace invar::host
