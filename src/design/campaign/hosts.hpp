// Hosts as people name them: in a campaign, on the command line, in the host files of both worlds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::design {

// What may start the ranks of a launch: a list in launch_systems.def.
struct LaunchSystemWords {
  std::string_view name;
  std::string_view what;
};
constexpr LaunchSystemWords kLaunchSystems[] = {
#define INVAR_LAUNCH_SYSTEM(name, what, system) {name, what},
#include "design/campaign/launch_systems.def"
#undef INVAR_LAUNCH_SYSTEM
};
// The profile's launcher, or its launch template.
constexpr std::string_view kOwnLauncher = kLaunchSystems[0].name;

struct Host {
  std::string name = {};
  std::uint32_t slots = 0;  // ranks that it takes; 0: as many as the host of the driver has cores

  bool operator==(const Host&) const = default;
};

// "node1", "node1:4"; the inverse of parse_hosts.
std::string host_text(const Host& host);

// "node1,node2:4". A host that stands several times has as many slots, or the sum of those written
// (batch systems' node files). Throws UserError with all faults, naming `place`.
std::vector<Host> parse_hosts(std::span<const std::string> words, const std::string& place);

// One host a line: "node1", "node1:4" (MPICH, Intel MPI), "node1 slots=4 max_slots=8" (Open MPI);
// what follows a '#' and empty lines do not count. Throws UserError with all faults and their
// lines.
std::vector<Host> read_hostfile(std::string_view text, const std::string& place);

}  // namespace invar::design
