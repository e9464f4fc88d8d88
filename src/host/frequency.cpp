#include "host/frequency.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/files.hpp"

namespace invar::host {
namespace {

constexpr std::string_view kUnit = "kHz";
constexpr std::uint32_t kMostCpus = 65'536;

constexpr std::array<const char*, 3> kSettings{"scaling_governor", "scaling_min_freq",
                                               "scaling_max_freq"};

std::string cpus_of(const std::string& sys) { return sys + "/devices/system/cpu/"; }

std::string folder_of(const std::string& sys, std::uint32_t cpu) {
  return cpus_of(sys) + "cpu" + std::to_string(cpu) + "/cpufreq/";
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

std::optional<Refusal> frequency_refusal(const std::string& level,
                                         const std::vector<std::uint32_t>& cpus,
                                         const std::string& sys) {
  if (level == "default") return std::nullopt;
  for (const std::uint32_t cpu : cpus) {
    const std::string folder = folder_of(sys, cpu);
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

bool is_setting_of_frequency(std::string_view file) {
  constexpr std::string_view kCpu = "cpu";
  if (!file.starts_with(kCpu)) return false;
  file.remove_prefix(kCpu.size());
  const std::size_t slash = file.find('/');
  if (!base::parse_u64(file.substr(0, slash)) || slash == std::string_view::npos) return false;
  return std::any_of(kSettings.begin(), kSettings.end(), [&](const char* setting) {
    return file.substr(slash) == std::string("/cpufreq/") + setting;
  });
}

std::vector<std::string> put_back(const OldSettings& before, const std::string& sys) {
  // Backwards twice: a bound that was refused because of the other one fits the second time.
  for (int pass = 0; pass < 2; ++pass) {
    for (auto old = before.rbegin(); old != before.rend(); ++old) {
      std::ofstream(cpus_of(sys) + old->file) << old->text << '\n';
    }
  }
  std::vector<std::string> problems;
  for (const OldSetting& old : before) {
    const std::string path = cpus_of(sys) + old.file;
    const std::string now = read_line(path).value_or("");
    if (now == old.text) continue;
    problems.push_back(path + " says '" + now + "' and could not be put back to '" + old.text +
                       "'");
  }
  return problems;
}

Frequency::Frequency(std::vector<std::uint32_t> cpus, std::string sys,
                     std::function<void(const OldSettings&)> keep)
    : cpus_(std::move(cpus)), sys_(std::move(sys)), keep_(std::move(keep)) {}

Frequency::~Frequency() {
  try {
    restore();
  } catch (const std::exception&) {
    // What keep() has kept is there for the next one.
  }
}

// Everything that set() may write, before it does.
void Frequency::note_before() {
  if (!before_.empty()) return;
  OldSettings before;
  for (const std::uint32_t cpu : cpus_) {
    for (const char* setting : kSettings) {
      const std::string file = "cpu" + std::to_string(cpu) + "/cpufreq/" + setting;
      if (auto text = read_line(cpus_of(sys_) + file)) before.push_back({file, std::move(*text)});
    }
  }
  if (keep_) keep_(before);
  before_ = std::move(before);
}

void Frequency::write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << '\n';
  file.close();
  const std::string now = read_line(path).value_or("");
  if (file && now == text) {
    set_.emplace_back(path, text);
    return;
  }
  throw base::UserError(
      path,
      file ? "was set to '" + text + "' and says '" + now + "'" : "cannot be set to '" + text + "'",
      "leave governor out, or look at what else sets frequencies (tuned, "
      "thermald, the batch system)");
}

void Frequency::set(const std::string& level) {
  restore();
  if (level == "default") return;
  note_before();
  for (const std::uint32_t cpu : cpus_) {
    const std::string folder = folder_of(sys_, cpu);
    const auto khz = khz_of(level);
    if (!khz) {
      write(folder + "scaling_governor", level);
      continue;
    }
    // The kernel keeps min <= max: the bound that makes room comes first.
    const bool up = *khz > read_number(folder + "scaling_max_freq").value_or(0);
    const std::string text = std::to_string(*khz);
    write(folder + (up ? "scaling_max_freq" : "scaling_min_freq"), text);
    write(folder + (up ? "scaling_min_freq" : "scaling_max_freq"), text);
  }
}

std::string Frequency::changed() const {
  for (const auto& [path, text] : set_) {
    const std::string now = read_line(path).value_or("");
    if (now != text) return path + " was set to '" + text + "' and says '" + now + "' by now";
  }
  return {};
}

std::vector<std::string> Frequency::restore() {
  set_.clear();
  std::vector<std::string> problems = put_back(before_, sys_);
  // Whatever is set from here on is no business of ours.
  if (problems.empty()) before_.clear();
  return problems;
}

}  // namespace invar::host
