#include "host/cgroup.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "host/files.hpp"

namespace invar::host {
namespace {

// A group's folder and those above it, up to the mount: a limit further up holds as well. Inside a
// container the path of the host may not exist below the mount; the mount itself then is the group.
std::vector<std::string> folders(const std::string& mount, std::string path) {
  std::vector<std::string> all;
  while (!path.empty() && path != "/") {
    all.push_back(mount + path);
    path.erase(path.rfind('/'));
  }
  all.push_back(mount);
  return all;
}

void tighten(std::optional<double>& limit, double cpus) {
  if (!limit || cpus < *limit) limit = cpus;
}
void tighten(Number& limit, std::uint64_t bytes) {
  if (!limit || bytes < *limit) limit = bytes;
}

void read_version_2(const std::string& mount, const std::string& path, Limits& limits) {
  for (const std::string& folder : folders(mount, path)) {
    if (const Text max = read_line(folder + "/cpu.max")) {
      const std::vector<std::string_view> words = base::split(*max, ' ');
      const Number quota = base::parse_u64(words.front());
      const Number period = words.size() > 1 ? base::parse_u64(words[1]) : std::nullopt;
      if (quota && period && *period > 0) {
        tighten(limits.cpu_quota, static_cast<double>(*quota) / static_cast<double>(*period));
      }
    }
    if (const Number bytes = read_number(folder + "/memory.max")) {
      tighten(limits.memory_limit_bytes, *bytes);
    }
    if (!limits.cpuset) limits.cpuset = read_line(folder + "/cpuset.cpus.effective");
    if (!limits.throttled) {
      const Text stat = read_line(folder + "/cpu.stat");
      const Text throttled = stat ? value_of(*stat, "nr_throttled") : std::nullopt;
      if (throttled) limits.throttled = base::parse_u64(*throttled);
    }
  }
}

void read_version_1(const std::string& mount, const std::string& controllers,
                    const std::string& path, Limits& limits) {
  for (const std::string_view controller : base::split(controllers, ',')) {
    for (const std::string& folder : folders(mount + "/" + std::string(controller), path)) {
      if (controller == "cpu") {
        const Text quota = read_line(folder + "/cpu.cfs_quota_us");
        const Number period = read_number(folder + "/cpu.cfs_period_us");
        const Number microseconds = quota ? base::parse_u64(*quota) : std::nullopt;
        if (microseconds && period && *period > 0) {
          tighten(limits.cpu_quota,
                  static_cast<double>(*microseconds) / static_cast<double>(*period));
        }
        if (!limits.throttled) {
          const Text stat = read_line(folder + "/cpu.stat");
          const Text throttled = stat ? value_of(*stat, "nr_throttled") : std::nullopt;
          if (throttled) limits.throttled = base::parse_u64(*throttled);
        }
      } else if (controller == "cpuset") {
        if (!limits.cpuset) limits.cpuset = read_line(folder + "/cpuset.effective_cpus");
        if (!limits.cpuset) limits.cpuset = read_line(folder + "/cpuset.cpus");
      } else if (controller == "memory") {
        const Number bytes = read_number(folder + "/memory.limit_in_bytes");
        // Unlimited is the largest number of pages.
        if (bytes && *bytes < (std::uint64_t{1} << 62U)) {
          tighten(limits.memory_limit_bytes, *bytes);
        }
      }
    }
  }
}

Text affinity() {
  // Wide enough for machines with more CPUs than a cpu_set_t holds.
  for (int cpus = 1024; cpus <= (1 << 18); cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(cpus));
    if (set == nullptr) return std::nullopt;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    std::vector<unsigned> allowed;
    for (unsigned cpu = 0; known && cpu < static_cast<unsigned>(cpus); ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) allowed.push_back(cpu);
    }
    CPU_FREE(set);
    if (known) return cpu_list_text(allowed);
  }
  return std::nullopt;
}

}  // namespace

Limits read_limits(const std::string& root) {
  Limits limits;
  const std::string mount = root + "/sys/fs/cgroup";
  const std::string groups = base::read_file(root + "/proc/self/cgroup").value_or("");
  for (const std::string_view line : base::split(groups, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers(line.substr(first + 1, second - first - 1));
    const std::string path(line.substr(second + 1));
    if (controllers.empty()) {
      const bool unified = read_line(mount + "/cgroup.controllers").has_value();
      if (unified && !limits.cgroup_version) limits.cgroup_version = 2;
      if (!limits.cgroup_path) limits.cgroup_path = path;
      read_version_2(unified ? mount : mount + "/unified", path, limits);
    } else {
      limits.cgroup_version = 1;
      if (controllers.find("cpu") != std::string::npos) limits.cgroup_path = path;
      read_version_1(mount, controllers, path, limits);
    }
  }
  limits.affinity = affinity();
  rlimit memlock{};
  if (getrlimit(RLIMIT_MEMLOCK, &memlock) == 0 && memlock.rlim_cur != RLIM_INFINITY) {
    limits.memlock_bytes = memlock.rlim_cur;
  }
  return limits;
}

}  // namespace invar::host
