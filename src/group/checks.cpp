#include "group/checks.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>

#include "base/error.hpp"
#include "clock/ticks.hpp"
#include "record/journal.hpp"

namespace invar::group {
namespace {

// "rank 0 on CPU 2, rank 1 on CPU 3"
std::string map_text(const Page& page, std::uint32_t arm) {
  std::string map;
  for (std::uint32_t i = 0; i < page.shape().local_ranks; ++i) {
    const RankSlot& slot = page.slot(arm, i);
    map += (i == 0 ? "rank " : ", rank ") + std::to_string(slot.rank.load()) + " on CPU " +
           std::to_string(slot.cpu.load());
  }
  return map;
}

}  // namespace

void check_rank_count(const record::LaunchSpec& spec, int ranks) {
  if (ranks == static_cast<int>(spec.ranks)) return;
  throw base::UserError("launch",
                        "MPI says that there are " + std::to_string(ranks) + " ranks where " +
                            std::to_string(spec.ranks) + " were started",
                        "the launcher and the library that the engine was built for do not belong "
                        "together: look at 'invar mpi show'");
}

void check_environment(const record::LaunchSpec& spec, const RankPlace& place) {
  base::Faults faults;
  for (const std::string& setting : spec.environment) {
    const std::string name = setting.substr(0, setting.find('='));
    const std::string wanted = setting.substr(std::min(name.size() + 1, setting.size()));
    const char* found = std::getenv(name.c_str());
    const auto with_ends = [](std::string_view list) { return ":" + std::string(list) + ":"; };
    const bool is_path = name.ends_with("PATH");
    if (found != nullptr &&
        (wanted == found ||
         (is_path && with_ends(found).find(with_ends(wanted)) != std::string::npos))) {
      continue;
    }
    faults.add("launch",
               "the setting " + setting + " did not reach rank " + std::to_string(place.rank) +
                   " on " + place.host +
                   (found == nullptr ? ": it is not set there" : std::string(": it is ") + found),
               "the launcher must hand it on: put {env} before {program} in the launch template");
  }
  faults.throw_if_any();
}

void check_hosts(const record::LaunchSpec& spec, std::span<const std::uint32_t> host_of_rank,
                 std::span<const std::string> rank_hosts) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const std::uint32_t host : host_of_rank) ++counts[host];
  const std::uint32_t each = spec.ranks / spec.hosts;
  const bool even = std::all_of(counts.begin(), counts.end(),
                                [&](const auto& host) { return host.second == each; });
  if (counts.size() == spec.hosts && even) return;
  std::string places;
  for (const auto& [host, count] : counts) {
    const auto first = static_cast<std::size_t>(
        std::find(host_of_rank.begin(), host_of_rank.end(), host) - host_of_rank.begin());
    places += (places.empty() ? "" : ", ") + std::to_string(count) + " on " + rank_hosts[first];
  }
  throw base::UserError(
      "launch",
      "the launcher put the ranks elsewhere: " + places + "; wanted are " + std::to_string(each) +
          " on each of " + std::to_string(spec.hosts) + (spec.hosts == 1 ? " host" : " hosts"),
      std::string("a launch template says where by {hosts} or {hostfile}, and how many by {ppn}") +
          (counts.size() < spec.hosts ? "; are two of the names one host?" : ""));
}

void check_cpu(const record::LaunchSpec& spec, const RankPlace& place) {
  if (spec.pinning != "core") return;
  const std::uint32_t wanted = spec.cpus.at(place.local_rank % spec.cpus.size());
  if (place.cpu == static_cast<std::int32_t>(wanted)) return;
  throw base::UserError("launch",
                        "rank " + std::to_string(place.rank) + " on " + place.host +
                            " should run on CPU " + std::to_string(wanted) + " but is bound to " +
                            (place.cpu < 0 ? "several" : std::to_string(place.cpu)),
                        "something moved it after the engine had bound it; pinning = \"none\" "
                        "measures without, and gives no verdicts");
}

void check_maps(const record::LaunchSpec& spec, const Page& page) {
  // Ranks that are not pinned have no map.
  const auto pinned = [&](std::uint32_t arm) { return page.slot(arm, 0).cpu.load() >= 0; };
  if (!pinned(spec.arm)) return;
  std::uint32_t reference = 0;
  while (!pinned(reference)) ++reference;
  const std::string first = map_text(page, reference);
  const std::string mine = map_text(page, spec.arm);
  if (first == mine) return;
  throw base::UserError("launch", "the arms' ranks are mapped differently: '" +
                                      spec.arms[reference] + "' has " + first + "; '" +
                                      spec.arms[spec.arm] + "' has " + mine);
}

std::string clock_source_now() {
  const char* sys = std::getenv("INVAR_SYSFS_ROOT");
  return clock::kernel_clock_source(sys == nullptr || *sys == '\0' ? "/sys" : sys);
}

void check_clock_source(const std::string& at_begin) {
  const std::string now = clock_source_now();
  if (now == at_begin) return;
  throw std::runtime_error(std::string(record::kMachine) +
                           "the kernel's clock source changed from '" + at_begin + "' to '" + now +
                           "' while this launch measured");
}

}  // namespace invar::group
