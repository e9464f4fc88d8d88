// Where the ranks of a host sit: its cores with what lies between them, and which of them the ranks
// take. Read from /sys, because every host of a launch places its own ranks and an engine has no
// library for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::host {

// Numbers are the kernel's; those of different hosts have nothing to do with each other.
struct Core {
  std::uint32_t cpu = 0;  // that a rank is bound to: of the core's threads one that it may use
  std::uint32_t package = 0;
  std::uint32_t numa_node = 0;
  std::uint32_t cache = 0;  // first CPU that shares its last-level cache

  bool operator==(const Core&) const = default;
};

// What the kernel says of each of these CPUs, one a core; 0 for what it does not say.
std::vector<Core> read_cores(std::span<const std::uint32_t> cpus, const std::string& sys = "/sys");

// The lowest CPU of the core that this one is a thread of.
std::uint32_t core_of(std::uint32_t cpu, const std::string& sys = "/sys");

// How many different ones these cores have.
std::size_t numa_nodes(std::span<const Core> cores);

// CPUs of local ranks 0, 1, ... (levels of [engine] placement-in-host):
//   packed: cores in the order in which they are given.
//   spread: rank after rank on the next package; on a package on its next NUMA node, on this on the
//     next of its last-level caches, on this on the next core. What is full is passed over. So any
//     first few ranks are as far apart as they can be.
//   numa: rank after rank on the next NUMA node, in the order of their numbers, and there on the
//     next core. What is full is passed over.
// spread and numa take the cores in the order of their CPUs' numbers. Where there are more ranks
// than cores the order begins again. Throws std::invalid_argument for another placement, and if
// there are ranks and no cores.
std::vector<std::uint32_t> place_ranks(std::span<const Core> cores, std::size_t ranks,
                                       std::string_view placement);

// A network device that is a piece of hardware, and how far memory of a NUMA node is from it.
struct NetworkDevice {
  std::string name = {};                        // "ib0", "mlx5_0"
  std::optional<std::uint32_t> numa_node = {};  // none: the kernel does not say
  // The kernel's (ACPI SLIT: 10 is the node itself); none: not known.
  std::optional<std::uint32_t> distance = {};

  bool operator==(const NetworkDevice&) const = default;
};
// The devices in /sys/class/net and /sys/class/infiniband, in the order of names, seen from a node.
std::vector<NetworkDevice> network_devices(std::uint32_t numa_node,
                                           const std::string& sys = "/sys");

// The node of a CPU; none: the kernel does not say.
std::optional<std::uint32_t> numa_node_of(std::uint32_t cpu, const std::string& sys = "/sys");

// {"numa_node": 0, "network": [{"device": "ib0", "numa_node": 1, "distance": 21}]} of a rank on
// this node; what is not known is left out. `with_network`: else without the devices, which are the
// same for all ranks on a node.
std::string place_json(std::optional<std::uint32_t> numa_node, bool with_network,
                       const std::string& sys = "/sys");

// Whether `rank` is the one that tells of the network devices of its host as its node sees them: no
// lower rank is on the same node. By rank the index of the host and the node there (any number for
// one that is not known).
bool tells_of_network(std::span<const std::uint32_t> host_of_rank,
                      std::span<const std::int32_t> node_of_rank, std::uint32_t rank);

}  // namespace invar::host
