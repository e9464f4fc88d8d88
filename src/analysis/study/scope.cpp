#include "analysis/study/scope.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/words/words.hpp"
#include "base/text.hpp"

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

// ", with OMPI_MCA_btl=tcp,self set outside": what no campaign says, and what acts on all its arms.
std::string variables_text(const store::Data& data) {
  constexpr std::size_t kMostTold = 2;
  if (!data.variables || data.variables->empty()) return {};
  std::vector<std::string> texts;
  texts.reserve(data.variables->size());
  for (const auto& [name, value] : *data.variables) texts.push_back(name + "=" + value);
  const std::size_t told = std::min(kMostTold, texts.size());
  std::string text = ", with " + base::join(std::span(texts).first(told), " and ");
  if (texts.size() > told) {
    text += " and " + count_text(texts.size() - told, "more variable");
  }
  return text + " set outside";
}

// "pml ob1, btl vader": what carries messages.
std::string carrier_text(const store::ArmRecord& arm) {
  std::vector<std::string> parts;
  for (const auto& [kind, names] : arm.components) {
    if (kind != "coll") parts.push_back(kind + " " + names);
  }
  return base::join(parts, ", ");
}

// " (openmpi: pml ob1, btl vader; mpich: netmod ucx)": arms that do alike are named once.
std::string carriers_text(const store::Data& data) {
  std::vector<std::pair<std::string, std::vector<std::string>>> carriers;
  for (const store::ArmRecord& arm : data.arms) {
    const std::string carrier = carrier_text(arm);
    if (carrier.empty()) continue;
    auto known = std::ranges::find(carriers, carrier,
                                   &std::pair<std::string, std::vector<std::string>>::first);
    if (known == carriers.end()) known = carriers.insert(known, {carrier, {}});
    known->second.push_back(arm.label);
  }
  if (carriers.empty()) return {};
  if (carriers.size() == 1) return " (" + carriers.front().first + ")";
  std::vector<std::string> texts;
  texts.reserve(carriers.size());
  for (const auto& [carrier, labels] : carriers) {
    texts.push_back(base::join(labels, ", ") + ": " + carrier);
  }
  return " (" + base::join(texts, "; ") + ")";
}

}  // namespace

std::string scope_text(const store::Data& data, bool this_launch_only) {
  std::string scope = data.scope;
  if (scope.find(kOneHost) != std::string::npos) {
    scope += mostly_over_network(data) ? ", not only shared memory" : ", shared memory";
  }
  // What a launch on one host chose says nothing of several.
  if (scope.find(kOneHost) != std::string::npos) scope += carriers_text(data);
  scope += variables_text(data);
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
