#include "analysis/study/scope.hpp"

#include <cstdint>
#include <string_view>

#include "analysis/words/words.hpp"

namespace invar::analysis {
namespace {

// Which transport ranks of one host use is known only from what was measured.
constexpr std::string_view kOneHost = "1 host";

std::uint64_t calls_of(const store::Launch& launch) {
  std::uint64_t calls = 0;
  for (const store::Visit& visit : launch.visits) {
    calls += std::uint64_t{visit.line.records} * visit.line.calls;
  }
  return calls;
}

// A message needs a packet at least; a quiet interface has a few a second.
bool over_network(const store::Launch& launch) {
  return launch.network_packets > calls_of(launch) / 2 && launch.network_packets > 1000;
}

// Counters are the host's: the launches of a group see each other's packets, so a group counts as a
// whole.
std::size_t groups_over_network(const store::Data& data) {
  std::size_t count = 0;
  for (const store::Group& group : data.groups) {
    bool network = false;
    for (const store::Launch& launch : group.launches) network = network || over_network(launch);
    count += network ? 1 : 0;
  }
  return count;
}

// Now and then somebody else uses the network; in most groups it is the ranks.
bool mostly_over_network(const store::Data& data) {
  return 2 * groups_over_network(data) > data.groups.size();
}

}  // namespace

std::string scope_text(const store::Data& data, bool this_launch_only) {
  std::string scope = data.scope;
  if (scope.find(kOneHost) != std::string::npos) {
    scope += mostly_over_network(data) ? ", not only shared memory" : ", shared memory";
  }
  if (this_launch_only) return scope + ", this launch only";
  return scope + (data.sessions.size() > 1 ? ", " + count_text(data.sessions.size(), "session")
                                           : std::string(", this session"));
}

std::optional<std::string> transport_warning(const store::Data& data) {
  if (!mostly_over_network(data)) return std::nullopt;
  std::uint64_t packets = 0;
  std::string interface;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      if (launch.network_packets <= packets) continue;
      packets = launch.network_packets;
      interface = launch.network_interface;
    }
  }
  return "the ranks' messages, or somebody else's, went over " + interface + " (up to " +
         std::to_string(packets) +
         " packets during a launch): some arm does not use shared memory alone (see 'invar env' "
         "for the transport libraries that each arm mapped)";
}

}  // namespace invar::analysis
