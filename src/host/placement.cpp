#include "host/placement.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "host/files.hpp"
#include "host/sockets.hpp"
#include "record/launch_spec.hpp"

namespace invar::host {
namespace {

using CoreMember = std::uint32_t Core::*;

std::string cpu_folder(const std::string& sys, std::uint32_t cpu) {
  return sys + "/devices/system/cpu/cpu" + std::to_string(cpu);
}

// The first number of "4-7,12"; none: there is none.
std::optional<std::uint32_t> first_number(const std::optional<std::string>& list) {
  if (!list) return std::nullopt;
  const auto number = base::parse_u64(list->substr(0, list->find_first_of(",-")));
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

// 3 of "node3".
std::optional<std::uint32_t> node_number(std::string_view name) {
  if (!name.starts_with("node")) return std::nullopt;
  const auto number = base::parse_u64(name.substr(4));
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

// Numbers of those that are there, ascending.
std::vector<std::uint32_t> nodes_of_folder(const std::string& folder) {
  std::vector<std::uint32_t> nodes;
  for (const std::string& name : list_directory(folder)) {
    if (const auto node = node_number(name)) nodes.push_back(*node);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::uint32_t last_level_cache(const std::string& folder) {
  std::uint64_t highest = 0;
  std::uint32_t first = 0;
  for (const std::string& name : list_directory(folder + "/cache")) {
    const auto level = read_number(folder + "/cache/" + name + "/level");
    const auto cpu = first_number(read_line(folder + "/cache/" + name + "/shared_cpu_list"));
    if (!level || !cpu || *level < highest) continue;
    highest = *level;
    first = *cpu;
  }
  return first;
}

// One of each in turn, until all are used up.
std::vector<Core> one_after_the_other(const std::vector<std::vector<Core>>& groups) {
  std::vector<Core> order;
  std::size_t longest = 0;
  for (const auto& group : groups) longest = std::max(longest, group.size());
  for (std::size_t i = 0; i < longest; ++i) {
    for (const auto& group : groups) {
      if (i < group.size()) order.push_back(group[i]);
    }
  }
  return order;
}

// Grouped by the first of `levels`, inside of that by the next one, and so on.
std::vector<Core> interleaved(const std::vector<Core>& cores, std::span<const CoreMember> levels) {
  if (levels.empty()) return cores;
  std::map<std::uint32_t, std::vector<Core>> by_number;
  for (const Core& core : cores) by_number[core.*levels.front()].push_back(core);
  std::vector<std::vector<Core>> groups;
  groups.reserve(by_number.size());
  for (const auto& [number, group] : by_number) {
    groups.push_back(interleaved(group, levels.subspan(1)));
  }
  return one_after_the_other(groups);
}

// The row of the node in the kernel's matrix has a column for every node that is online.
std::optional<std::uint32_t> distance_between(std::uint32_t from, std::uint32_t to,
                                              const std::string& sys) {
  const std::string folder = sys + "/devices/system/node";
  const std::vector<std::uint32_t> nodes = nodes_of_folder(folder);
  const auto at = std::find(nodes.begin(), nodes.end(), to) - nodes.begin();
  const auto row = read_line(folder + "/node" + std::to_string(from) + "/distance");
  if (!row) return std::nullopt;
  std::vector<std::uint32_t> distances;
  for (const std::string_view word : base::split(*row, ' ')) {
    if (const auto number = base::parse_u64(word)) {
      distances.push_back(static_cast<std::uint32_t>(*number));
    }
  }
  if (distances.size() != nodes.size() || at == static_cast<std::ptrdiff_t>(nodes.size())) {
    return std::nullopt;
  }
  return distances[static_cast<std::size_t>(at)];
}

}  // namespace

std::vector<Core> read_cores(std::span<const std::uint32_t> cpus, const std::string& sys) {
  std::vector<Core> cores;
  for (const std::uint32_t cpu : cpus) {
    const std::string folder = cpu_folder(sys, cpu);
    cores.push_back({.cpu = cpu,
                     .package = static_cast<std::uint32_t>(std::max(0, socket_of_cpu(cpu, sys))),
                     .numa_node = numa_node_of(cpu, sys).value_or(0),
                     .cache = last_level_cache(folder)});
  }
  return cores;
}

std::uint32_t core_of(std::uint32_t cpu, const std::string& sys) {
  return first_number(read_line(cpu_folder(sys, cpu) + "/topology/thread_siblings_list"))
      .value_or(cpu);
}

std::size_t numa_nodes(std::span<const Core> cores) {
  std::set<std::uint32_t> nodes;
  for (const Core& core : cores) nodes.insert(core.numa_node);
  return nodes.size();
}

std::vector<std::uint32_t> place_ranks(std::span<const Core> cores, std::size_t ranks,
                                       std::string_view placement) {
  static constexpr CoreMember kSpreadOver[] = {&Core::package, &Core::numa_node, &Core::cache};
  static constexpr CoreMember kNumaOver[] = {&Core::numa_node};
  if (ranks > 0 && cores.empty()) throw std::invalid_argument("ranks without cores");
  std::vector<Core> order(cores.begin(), cores.end());
  if (placement != record::kPackedInHost) {
    std::ranges::sort(order, {}, &Core::cpu);
    if (placement == record::kSpreadInHost) {
      order = interleaved(order, kSpreadOver);
    } else if (placement == record::kNumaInHost) {
      order = interleaved(order, kNumaOver);
    } else {
      throw std::invalid_argument("no placement '" + std::string(placement) + "'");
    }
  }
  std::vector<std::uint32_t> cpus;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    cpus.push_back(order[rank % order.size()].cpu);
  }
  return cpus;
}

std::vector<NetworkDevice> network_devices(std::uint32_t numa_node, const std::string& sys) {
  std::vector<NetworkDevice> devices;
  for (const char* kind : {"net", "infiniband"}) {
    const std::string folder = sys + "/class/" + kind;
    for (const std::string& name : list_directory(folder)) {
      // The loopback, bridges and the like are no hardware.
      std::error_code none;
      if (!std::filesystem::exists(folder + "/" + name + "/device", none)) continue;
      NetworkDevice device{.name = name};
      // -1, no number here, where the kernel does not know.
      if (const auto node = read_number(folder + "/" + name + "/device/numa_node")) {
        device.numa_node = static_cast<std::uint32_t>(*node);
        device.distance = distance_between(numa_node, *device.numa_node, sys);
      }
      devices.push_back(std::move(device));
    }
  }
  std::ranges::sort(devices, {}, &NetworkDevice::name);
  return devices;
}

std::optional<std::uint32_t> numa_node_of(std::uint32_t cpu, const std::string& sys) {
  const std::vector<std::uint32_t> nodes = nodes_of_folder(cpu_folder(sys, cpu));
  return nodes.empty() ? std::nullopt : std::optional(nodes.front());
}

std::string place_json(std::optional<std::uint32_t> numa_node, bool with_network,
                       const std::string& sys) {
  base::JsonWriter json;
  json.begin_object();
  if (numa_node) json.field("numa_node", *numa_node);
  if (with_network) {
    json.key("network").begin_array();
    for (const NetworkDevice& device : network_devices(numa_node.value_or(0), sys)) {
      json.begin_object().field("device", device.name);
      if (device.numa_node) json.field("numa_node", *device.numa_node);
      // From a node that is not known nothing has a distance.
      if (device.distance && numa_node) json.field("distance", *device.distance);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  return json.text();
}

bool tells_of_network(std::span<const std::uint32_t> host_of_rank,
                      std::span<const std::int32_t> node_of_rank, std::uint32_t rank) {
  for (std::uint32_t lower = 0; lower < rank; ++lower) {
    if (host_of_rank[lower] == host_of_rank[rank] && node_of_rank[lower] == node_of_rank[rank]) {
      return false;
    }
  }
  return true;
}

}  // namespace invar::host
